//! Files of run directories that were damaged: they are rendered or refused.

mod documents;
