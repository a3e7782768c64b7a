//! The items that types become: structs, enumerations, unions.

use proc_macro2::TokenStream;
use quote::quote;

use super::{docs, fields::ident, rust_type::RustTypes};
use crate::ir::types::{Additional, EnumValue, Object, Shape, Type, Union};

/// A struct that is an object on the wire.
pub(super) struct Struct<'a> {
    pub(super) name: &'a str,
    pub(super) docs: String,
    pub(super) fields: Vec<StructField>,
    /// The type of the field for whatever else there is; `None` when nothing else may be there.
    pub(super) additional: Option<TokenStream>,
    /// Whether callers make values of it, and so want it to be easy.
    pub(super) made_by_callers: bool,
}

/// A field of a [`Struct`].
pub(super) struct StructField {
    pub(super) name: String,
    pub(super) wire_name: String,
    pub(super) docs: String,
    /// The whole type, with the `Option` of an optional field.
    pub(super) ty: TokenStream,
    pub(super) required: bool,
}

/// The most arguments of a constructor.
const MOST_ARGUMENTS: usize = 6;

/// The item of a named type.
pub(super) fn of_type(
    types: &RustTypes<'_>,
    ty: &Type,
    name: &str,
    made_by_callers: bool,
) -> TokenStream {
    match &ty.shape {
        Shape::Object(object) => of_object(types, ty, name, object, made_by_callers),
        Shape::Enum(values) => of_enum(ty, name, values),
        Shape::Union(union) => of_union(types, ty, name, union),
        // Nothing else has a name.
        _ => TokenStream::new(),
    }
}

/// Whether a type's item takes part in `codec::forward!`, which words do not.
pub(super) const fn is_forwarded(shape: &Shape) -> bool {
    matches!(shape, Shape::Object(_) | Shape::Union(_))
}

impl Struct<'_> {
    /// The struct, its codec, and a constructor where that helps.
    pub(super) fn emit(&self) -> TokenStream {
        let name = ident(self.name);
        let docs = docs::attributes(&self.docs);
        let fields = self.fields.iter().map(StructField::emit);
        let default = self.fields.iter().all(|field| !field.required) && self.made_by_callers;
        let derive = if default {
            quote!(#[derive(Clone, Default)])
        } else {
            quote!(#[derive(Clone)])
        };
        let additional = self.additional.as_ref().map(|ty| {
            let field = ident(self.additional_name());
            quote! {
                #[doc = " What else is there."]
                pub #field: #ty,
            }
        });
        let constructor = self.constructor();
        let codec = self.codec();
        quote! {
            #docs
            #derive
            pub struct #name { #(#fields)* #additional }
            #constructor
            #codec
        }
    }

    /// `new`, with the required fields, for structs that have both kinds.
    fn constructor(&self) -> Option<TokenStream> {
        let required: Vec<_> = self.fields.iter().filter(|field| field.required).collect();
        let has_optional = required.len() < self.fields.len();
        if !self.made_by_callers || !has_optional || !(1..=MOST_ARGUMENTS).contains(&required.len())
        {
            return None;
        }
        let name = ident(self.name);
        let parameters = required.iter().map(|field| field.parameter());
        let values = self.fields.iter().map(StructField::initial);
        let additional = self.additional.as_ref().map(|_| {
            let field = ident(self.additional_name());
            quote!(#field: Default::default(),)
        });
        Some(quote! {
            impl #name {
                #[doc = " The required fields; the optional ones are absent."]
                #[must_use]
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values)* #additional }
                }
            }
        })
    }

    fn codec(&self) -> TokenStream {
        let name = ident(self.name);
        let pairs = self.fields.iter().map(|field| {
            let (wire, field) = (&field.wire_name, ident(&field.name));
            quote!((#wire, &self.#field))
        });
        let takes: Vec<_> = self
            .fields
            .iter()
            .map(|field| {
                let (wire, field) = (&field.wire_name, ident(&field.name));
                quote!(#field: fields.take(#wire))
            })
            .collect();
        let (read, rest) = if self.additional.is_some() {
            let field = ident(self.additional_name());
            (
                quote!(Self { #(#takes,)* #field: fields.rest() }),
                quote!(&self.#field),
            )
        } else {
            (
                quote! {
                    let read = Self { #(#takes),* };
                    fields.rest::<()>();
                    read
                },
                quote!(&()),
            )
        };
        let binding = if takes.is_empty() {
            quote!(let fields)
        } else {
            quote!(let mut fields)
        };
        quote! {
            impl codec::Codec for #name {
                #[inline]
                fn read(value: codec::Value, reader: &mut codec::Reader) -> Self {
                    #binding = reader.object(value);
                    #read
                }

                #[inline]
                fn encode(&self) -> codec::Value {
                    codec::object(&[#(#pairs),*], #rest)
                }
            }
        }
    }

    /// The name of the field for whatever else there is; a name that no other field has.
    fn additional_name(&self) -> &'static str {
        let candidates = [
            "additional",
            "additional_fields",
            "additional_fields_of_object",
        ];
        candidates
            .into_iter()
            .find(|name| self.fields.iter().all(|field| field.name != *name))
            .unwrap_or("additional_fields_of_this_object")
    }
}

impl StructField {
    fn emit(&self) -> TokenStream {
        let docs = docs::attributes(&self.docs);
        let (name, ty) = (ident(&self.name), &self.ty);
        quote!(#docs pub #name: #ty,)
    }

    /// The parameter of the constructor: texts and numbers from whatever becomes one.
    fn parameter(&self) -> TokenStream {
        let (name, ty) = (ident(&self.name), &self.ty);
        if self.converts() {
            quote!(#name: impl Into<#ty>)
        } else {
            quote!(#name: #ty)
        }
    }

    fn initial(&self) -> TokenStream {
        let name = ident(&self.name);
        match (self.required, self.converts()) {
            (false, _) => quote!(#name: None,),
            (true, true) => quote!(#name: #name.into(),),
            (true, false) => quote!(#name,),
        }
    }

    fn converts(&self) -> bool {
        matches!(
            self.ty.to_string().as_str(),
            "String" | "codec :: Number" | "codec :: Bytes"
        )
    }
}

fn of_object(
    types: &RustTypes<'_>,
    ty: &Type,
    name: &str,
    object: &Object,
    made_by_callers: bool,
) -> TokenStream {
    let fields = object.fields.iter().map(|field| StructField {
        name: field.name.clone(),
        wire_name: field.wire_name.clone(),
        docs: docs::text_or(&field.docs, &format!("`{}`.", field.wire_name)),
        ty: types.field(field.ty, field.required, field.boxed),
        required: field.required,
    });
    let additional = match object.additional {
        Additional::Any => quote!(codec::Extra),
        Additional::Typed(value) => {
            let value = types.plain(value);
            quote!(std::collections::BTreeMap<String, #value>)
        }
    };
    Struct {
        name,
        docs: docs::text_or(&ty.docs, &format!("`{name}`.")),
        fields: fields.collect(),
        additional: Some(additional),
        made_by_callers,
    }
    .emit()
}

fn of_enum(ty: &Type, name: &str, values: &[EnumValue]) -> TokenStream {
    let docs = docs::attributes(&docs::text_or(&ty.docs, &format!("`{name}`.")));
    let name = ident(name);
    let texts: Vec<&str> = values.iter().map(|value| value.wire.as_str()).collect();
    let variants: Vec<_> = values.iter().map(|value| ident(&value.name)).collect();
    let variant_docs = texts.iter().map(|text| {
        let text = format!(" `{}`.", text.replace(['`', '\n', '\r'], " "));
        quote!(#[doc = #text])
    });
    quote! {
        #docs
        #[derive(Clone)]
        pub enum #name {
            #(#variant_docs #variants,)*
            #[doc = " A value that the specification does not list."]
            Unlisted(String),
        }

        impl codec::Word for #name {
            #[inline]
            fn from_word(word: String) -> Self {
                match word.as_str() {
                    #(#texts => Self::#variants,)*
                    _ => Self::Unlisted(word),
                }
            }

            #[inline]
            fn as_word(&self) -> &str {
                match self {
                    #(Self::#variants => #texts,)*
                    Self::Unlisted(word) => word,
                }
            }

            #[inline]
            fn is_unlisted(&self) -> bool {
                matches!(self, Self::Unlisted(_))
            }
        }
    }
}

fn of_union(types: &RustTypes<'_>, ty: &Type, name: &str, union: &Union) -> TokenStream {
    let docs = docs::attributes(&docs::text_or(&ty.docs, &format!("`{name}`.")));
    let name = ident(name);
    let variants: Vec<_> = union
        .variants
        .iter()
        .map(|variant| ident(&variant.name))
        .collect();
    let held = union.variants.iter().map(|variant| types.held(variant.ty));
    let tries = union.variants.iter().zip(&variants).map(|(variant, name)| {
        let tags = &variant.tags;
        if union.discriminator.is_some() && !tags.is_empty() {
            quote!(.tagged(&[#(#tags),*], Self::#name))
        } else {
            quote!(.variant(Self::#name))
        }
    });
    let begin = match &union.discriminator {
        Some(property) => quote!(reader.tagged_union(value, #property)),
        None => quote!(reader.union(value)),
    };
    let variant_docs = variants.iter().map(|name| {
        let text = format!(" {name}.");
        quote!(#[doc = #text])
    });
    quote! {
        #docs
        #[derive(Clone)]
        pub enum #name {
            #(#variant_docs #variants(#held),)*
            #[doc = " A value of none of these types."]
            Unlisted(codec::Value),
        }

        impl codec::Codec for #name {
            #[inline]
            fn read(value: codec::Value, reader: &mut codec::Reader) -> Self {
                #begin #(#tries)* .or_unlisted(Self::Unlisted)
            }

            #[inline]
            fn encode(&self) -> codec::Value {
                match self {
                    #(Self::#variants(value) => value.encode(),)*
                    Self::Unlisted(value) => value.clone(),
                }
            }
        }
    }
}
