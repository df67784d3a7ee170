"""The window as a frame for pages: bars, banner, help, and the page that is shown."""
