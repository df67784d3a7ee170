"""Would more rows lower the error? A learning curve on demand."""
