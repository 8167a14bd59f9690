"""What several views draw with: charts, pictures, what Python answers, and what a reader takes along."""
