"""What several views draw with: charts, pictures, answers of Python as cards, and what a reader takes along."""
