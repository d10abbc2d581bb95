//! Logins: the bytes that a server or an impostor receives.

mod another_listener;
mod doctor_password;
mod impostor;
mod listening;
mod option_files;
mod secret;
