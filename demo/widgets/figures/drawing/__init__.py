"""Parts that every figure is drawn from: builders of traces and layouts, colours, ticks, titles of axes."""
