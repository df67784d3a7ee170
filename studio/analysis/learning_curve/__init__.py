"""Learning curve: would more rows help? Members are trained on growing shares of the rows."""
