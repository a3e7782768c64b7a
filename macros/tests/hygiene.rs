//! The output of the macros compiles if names are shadowed, if the dependency has another name, and
//! under lints that a strict program denies.

#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    unused_qualifications,
    unreachable_pub,
    clippy::pedantic,
    clippy::allow_attributes
)]

/// The dependency under another name, as in a facade.
pub mod facade {
    pub use ::toolwright as renamed;
}

/// Names of the prelude and of the macros' own, taken by something else.
pub mod shadowed {
    #![allow(
        dead_code,
        reason = "they stand in the way, and that is what they are for"
    )]

    /// Not the type of the standard library.
    pub struct Option;
    /// Not the type of the standard library.
    pub struct Vec;
    /// Not the type of the standard library.
    pub struct String;
    /// Not the type of the standard library.
    pub struct Box;
    /// Not a variant of the standard library.
    pub struct Some;
    /// Not a variant of the standard library.
    pub struct None;
    /// Not a variant of the standard library.
    pub struct Ok;
    /// Not a variant of the standard library.
    pub struct Err;
    /// Not the trait of the standard library.
    pub struct From;
    /// Not the alias of the standard library.
    pub struct Result;
    /// Not the crate.
    pub mod toolwright {}
    /// Not the crate.
    pub mod core {}
    /// Not the crate.
    pub mod std {}
    /// Not the type of the standard library.
    #[expect(non_camel_case_types, reason = "it has the name of the primitive type")]
    pub struct str;

    /// The roles of this program.
    #[derive(::toolwright::RoleEnum)]
    pub enum AgentRole {
        /// It looks at quality.
        Quality,
    }

    /// Lists tables.
    ///
    /// # Errors
    /// Never.
    #[::toolwright::tool(name = "list-shadowed-tables", category = observe, roles(AgentRole::Quality))]
    pub async fn list_tables(
        _: &::toolwright::ToolContext,
    ) -> ::std::result::Result<(), ::toolwright::ToolError> {
        ::std::result::Result::Ok(())
    }

    /// Lists rows.
    ///
    /// # Errors
    /// Never.
    #[::toolwright::tool(name = "list-shadowed-rows", category = observe, roles(AgentRole::Quality))]
    pub async fn list_rows(
        context: &::toolwright::ToolContext,
        /// The table. The parameters have the same names as items of the emitted code.
        arguments: ::std::string::String,
        /// The count.
        input: ::std::option::Option<u8>,
    ) -> ::std::result::Result<u8, ::toolwright::ToolError> {
        let _ = (context, arguments);
        ::std::result::Result::Ok(input.unwrap_or_default())
    }

    /// The state of a tool.
    pub struct Warehouse;

    #[::toolwright::tools]
    impl Warehouse {
        /// Lists columns.
        ///
        /// # Errors
        /// Never.
        #[::toolwright::tool(name = "list-shadowed-columns", category = observe, roles(AgentRole::Quality))]
        pub async fn list_columns(
            &self,
            _: &::toolwright::ToolContext,
            /// The table.
            state: ::std::string::String,
        ) -> ::std::result::Result<(), ::toolwright::ToolError> {
            ::std::mem::drop(state);
            ::std::result::Result::Ok(())
        }
    }
}

/// The roles of this program.
#[derive(facade::renamed::RoleEnum)]
#[role(crate = facade::renamed)]
pub enum AgentRole {
    /// It looks at quality.
    Quality,
}

/// Lists tables.
#[facade::renamed::tool(
    crate = facade::renamed,
    name = "list-renamed-tables",
    category = observe,
    roles(AgentRole::Quality)
)]
async fn list_tables(
    _: &facade::renamed::ToolContext,
    _: serde_json::Map<String, serde_json::Value>,
) -> Result<(), facade::renamed::ToolError> {
    Ok(())
}

/// The state of a tool.
pub struct Warehouse;

#[facade::renamed::tools]
impl Warehouse {
    /// Lists columns.
    #[facade::renamed::tool(
        crate = facade::renamed,
        name = "list-renamed-columns",
        category = observe,
        roles(AgentRole::Quality)
    )]
    async fn list_columns(
        &self,
        _: &facade::renamed::ToolContext,
    ) -> Result<(), facade::renamed::ToolError> {
        Ok(())
    }
}

#[test]
fn the_tools_are_registered() {
    /// Lists the tables of a function's own.
    #[toolwright::tool(name = "list-nested-tables", category = observe, roles(AgentRole::Quality))]
    async fn list_tables(_: &toolwright::ToolContext) -> Result<(), toolwright::ToolError> {
        Ok(())
    }

    let registry = toolwright::Registry::builder()
        .linked_tools()
        .state(std::sync::Arc::new(Warehouse))
        .state(std::sync::Arc::new(shadowed::Warehouse))
        .audit(std::sync::Arc::new(toolwright::audit::MemoryAudit::new()))
        .build()
        .unwrap();
    let names: Vec<_> = registry
        .tools()
        .map(|(spec, _)| spec.name.to_string())
        .collect();
    assert_eq!(
        names,
        [
            "list-nested-tables",
            "list-renamed-columns",
            "list-renamed-tables",
            "list-shadowed-columns",
            "list-shadowed-rows",
            "list-shadowed-tables"
        ]
    );
}
