//! Definition of the statements of a transaction.

/// Defines a struct of statements, which are sent as text until they are prepared. The argument of `new` can be used in
/// the SQL.
macro_rules! statements {
    ($(#[$doc:meta])* struct $name:ident($($argument:ident: $type:ty)?) { $($field:ident: $sql:expr,)* }) => {
        $(#[$doc])*
        pub(crate) struct $name {
            $($field: crate::workloads::statement::Statement,)*
        }

        impl $name {
            pub(crate) fn new($($argument: $type)?) -> Self {
                Self { $($field: crate::workloads::statement::Statement::text($sql),)* }
            }

            pub(crate) fn statements_mut(&mut self) -> Vec<&mut crate::workloads::statement::Statement> {
                vec![$(&mut self.$field),*]
            }
        }
    };
}

pub(crate) use statements;
