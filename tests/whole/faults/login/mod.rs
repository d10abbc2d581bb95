//! What a server or an impostor learns of a login.

mod impostor;
