//! Programs that show spate at work.
