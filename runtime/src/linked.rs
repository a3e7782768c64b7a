//! Hand-written tools: the code that `#[tool]` writes for a function, and its conversion to a
//! [`Tool`](crate::Tool).
//!
//! Each tool leaves the address of one function in a section of the object file, and the linker
//! makes one slice of these sections. So the tools of all linked crates are a slice, without a list
//! that is kept by hand and without code that runs before `main`.

mod argument;
mod ask;
mod declaration;
mod input;
mod output;
mod role;
mod state;

pub(crate) use declaration::{Declaration, DeclarationError, declarations};
pub use input::{ByDerive, ByHand, Generated, ToolInput};
pub use output::{ReturnType, ToolValue};
pub use role::RoleEnum;
use schemars::{
    JsonSchema,
    generate::{Contract, SchemaSettings},
};
use serde_json::Value;
pub(crate) use state::States;

/// The items that the code of `#[tool]` refers to. Not for use by hand: it changes at any time.
#[doc(hidden)]
pub mod private {
    pub use crate::__link as link;

    pub use super::{
        ask::{Answer, Ask, Context, Linked, role},
        declaration::TOOLS,
        input::ToolInput,
        output::{Described, ReturnType, Undescribed},
        state::State,
    };
}

/// The schema of a type: JSON Schema 2020-12, self-contained. The name of the type, which is no
/// concern of an agent, is left out.
fn schema_of<T: JsonSchema>(contract: Contract) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

/// Lets the linker collect the address of a function that is asked of a tool.
///
/// This is the expansion of `linkme`'s attribute, without the attribute: that one also writes three
/// functions a tool to check a type that is known here, which would double the time that a tool
/// takes to compile.
#[doc(hidden)]
#[macro_export]
macro_rules! __link {
    ($function:ident) => {
        $crate::linked::private::TOOLS! {
            #![linkme_macro = $crate::linked::private::TOOLS]
            static __TOOL: $crate::linked::private::Linked = $function;
        }
    };
}
