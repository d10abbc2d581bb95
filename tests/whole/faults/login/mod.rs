//! Logins: the bytes that a server or an impostor receives.

mod impostor;
mod option_files;
