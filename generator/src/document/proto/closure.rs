//! The descriptors of the messages that the methods of a document reach, and of nothing else.
//!
//! The same messages give the same bytes: files are sorted by name, and their parts stay in their
//! order. Comments and options that do not change the bytes or the JSON of a message are left out.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;
use prost_reflect::FileDescriptor;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumOptions, EnumValueDescriptorProto,
    FieldDescriptorProto, FieldOptions, FileDescriptorProto, FileDescriptorSet, MessageOptions,
    OneofDescriptorProto,
};

use super::schema::Reached;

/// Encodes a `FileDescriptorSet`.
pub(super) fn encode(reached: &Reached) -> Vec<u8> {
    let mut files: BTreeMap<String, FileDescriptor> = BTreeMap::new();
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    let messages = reached.messages.values();
    let messages = messages.map(|message| (message.full_name(), message.parent_file()));
    let enums = reached.enums.values();
    let enums = enums.map(|one| (one.full_name(), one.parent_file()));
    for (name, file) in messages.map(owned).chain(enums.map(owned)) {
        homes.insert(format!(".{name}"), file.name().to_owned());
        files.insert(file.name().to_owned(), file);
    }
    let file = files.values().map(|file| {
        let proto = file.file_descriptor_proto();
        Kept { homes: &homes }.file(proto)
    });
    FileDescriptorSet {
        file: file.collect(),
    }
    .encode_to_vec()
}

fn owned((name, file): (&str, FileDescriptor)) -> (String, FileDescriptor) {
    (name.to_owned(), file)
}

/// The types that are kept, with a dot before their full names, and the files that have them.
struct Kept<'h> {
    homes: &'h BTreeMap<String, String>,
}

impl Kept<'_> {
    fn file(&self, proto: &FileDescriptorProto) -> FileDescriptorProto {
        let scope = match proto.package() {
            "" => String::new(),
            package => format!(".{package}"),
        };
        let mut kept = FileDescriptorProto {
            name: proto.name.clone(),
            package: proto.package.clone(),
            syntax: proto.syntax.clone(),
            message_type: self.messages(&proto.message_type, &scope),
            enum_type: self.enums(&proto.enum_type, &scope),
            ..FileDescriptorProto::default()
        };
        let mut needed = BTreeSet::new();
        for message in &kept.message_type {
            self.needed(message, &mut needed);
        }
        needed.remove(proto.name());
        kept.dependency = needed.into_iter().map(str::to_owned).collect();
        kept
    }

    /// Collects the files of the types of a message's fields.
    fn needed<'n>(&'n self, message: &DescriptorProto, needed: &mut BTreeSet<&'n str>) {
        for field in &message.field {
            needed.extend(self.homes.get(field.type_name()).map(String::as_str));
        }
        for nested in &message.nested_type {
            self.needed(nested, needed);
        }
    }

    fn messages(&self, all: &[DescriptorProto], scope: &str) -> Vec<DescriptorProto> {
        let messages = all.iter();
        messages
            .filter_map(|message| self.message(message, scope))
            .collect()
    }

    /// Returns a message that is kept, or one without fields if only parts of it are.
    fn message(&self, message: &DescriptorProto, scope: &str) -> Option<DescriptorProto> {
        let name = format!("{scope}.{}", message.name());
        let nested_type = self.messages(&message.nested_type, &name);
        let enum_type = self.enums(&message.enum_type, &name);
        let is_kept = self.homes.contains_key(&name);
        if !is_kept && nested_type.is_empty() && enum_type.is_empty() {
            return None;
        }
        let mut kept = DescriptorProto {
            name: message.name.clone(),
            nested_type,
            enum_type,
            ..DescriptorProto::default()
        };
        if is_kept {
            kept.field = message.field.iter().map(field).collect();
            let oneofs = message.oneof_decl.iter();
            kept.oneof_decl = oneofs
                .map(|oneof| OneofDescriptorProto {
                    name: oneof.name.clone(),
                    options: None,
                })
                .collect();
            let options = message.options.as_ref();
            kept.options = options
                .filter(|options| options.map_entry() || options.message_set_wire_format())
                .map(|options| MessageOptions {
                    map_entry: options.map_entry,
                    message_set_wire_format: options.message_set_wire_format,
                    ..MessageOptions::default()
                });
        }
        Some(kept)
    }

    fn enums(&self, all: &[EnumDescriptorProto], scope: &str) -> Vec<EnumDescriptorProto> {
        let kept = all.iter();
        let kept = kept.filter(|one| self.homes.contains_key(&format!("{scope}.{}", one.name())));
        kept.map(one_enum).collect()
    }
}

fn one_enum(one: &EnumDescriptorProto) -> EnumDescriptorProto {
    let value = one.value.iter().map(|value| EnumValueDescriptorProto {
        name: value.name.clone(),
        number: value.number,
        options: None,
    });
    let alias = one.options.as_ref().and_then(|options| options.allow_alias);
    EnumDescriptorProto {
        name: one.name.clone(),
        value: value.collect(),
        options: alias.map(|alias| EnumOptions {
            allow_alias: Some(alias),
            ..EnumOptions::default()
        }),
        ..EnumDescriptorProto::default()
    }
}

fn field(field: &FieldDescriptorProto) -> FieldDescriptorProto {
    let packed = field.options.as_ref().and_then(|options| options.packed);
    FieldDescriptorProto {
        options: packed.map(|packed| FieldOptions {
            packed: Some(packed),
            ..FieldOptions::default()
        }),
        json_name: field
            .json_name
            .clone()
            .filter(|name| *name != usual_json_name(field.name())),
        ..field.clone()
    }
}

/// Returns the JSON name of a field that declares none, which readers derive.
fn usual_json_name(name: &str) -> String {
    let mut json = String::new();
    let mut raises = false;
    for c in name.chars() {
        if c == '_' {
            raises = true;
        } else if raises {
            json.push(c.to_ascii_uppercase());
            raises = false;
        } else {
            json.push(c);
        }
    }
    json
}
