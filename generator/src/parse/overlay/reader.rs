//! Converts the keys of an overlay into records.

use toolwright_model::{Bound, Location, Scheme, settings::Reader as _};

use super::{
    Allowance, Curation, GovernanceCuration, HeaderEntry, Overlay, OwnEntry, Patch, Pin, Proposal,
    ResponseEntry, SecurityEntry, Selector, ServerChoice, ServerSelector, graphql,
    keys::{self, OverlayTable},
};
use crate::{
    document::{source::Placed, tree::Node},
    parse::strict::StrictReader,
};

impl StrictReader<'_> {
    pub(super) fn overlay(&mut self, root: &Node) -> Overlay {
        let keys = keys::Root::read(self, root);
        let mut operations = Vec::new();
        for (text, entry) in keys.operations {
            let selector: Option<Placed<Selector>> = self.parsed(&text.value, text.place);
            let mut curation = curation(entry);
            let is_own = selector.as_ref().is_some_and(|one| !one.value.is_pattern());
            let own = is_own.then(|| OwnEntry {
                sets_name: curation.sets_name(),
                selector: text.value,
            });
            curation.entries.extend(own);
            operations.extend(selector.map(|selector| (selector, curation)));
        }
        let mut proposals = Vec::new();
        for (text, entry) in keys.proposals {
            let selector = self.parsed(&text.value, text.place);
            proposals.extend(selector.and_then(|selector| proposal(selector, entry)));
        }
        Overlay {
            proposals,
            service: keys.service,
            base_url: keys.base_url,
            server: keys.server.map(server),
            trust_document: keys.trust_document,
            include: keys.include,
            exclude: keys.exclude,
            openapi_overlays: keys.openapi_overlays,
            typed_formats: keys.typed_formats,
            graphql: graphql::settings(keys.graphql),
            patches: keys.patches.into_iter().filter_map(patch).collect(),
            schemes: schemes(keys.schemes),
            security: keys.security.and_then(security),
            headers: headers(keys.headers),
            pins: pins(keys.pin),
            hidden: keys.hide,
            separators: separators(keys.allow_separators),
            operations,
        }
    }

    pub(super) fn extension(&mut self, node: &Node) -> Curation {
        match self.table(node, "`x-toolwright`") {
            Some(node) => {
                let keys = keys::OverlayOperation::read(self, node);
                curation(keys)
            }
            None => Curation::default(),
        }
    }
}

fn curation(keys: keys::OverlayOperation) -> Curation {
    let text = |text: Option<Placed<String>>| text.map(|text| text.value);
    let hints = keys.hints.map(|hints| hints.value);
    let hints = hints.as_ref();
    Curation {
        entries: Vec::new(),
        name: keys.name,
        verb: keys.verb,
        noun: keys.noun,
        title: text(keys.title),
        short: text(keys.short),
        description: text(keys.description),
        when_to_use: text(keys.when_to_use),
        section: text(keys.section),
        server: keys.server.map(server),
        security: keys.security.and_then(security),
        headers: headers(keys.headers),
        pins: pins(keys.pin),
        hidden: keys.hide,
        separators: separators(keys.allow_separators),
        response: keys.response.and_then(response),
        governance: GovernanceCuration {
            category: keys.category,
            effect: keys.effect,
            approval_required: keys.approval_required,
            enabled_by_default: keys.enabled_by_default,
            read_only: hints.and_then(|hints| hints.read_only.clone()),
            destructive: hints.and_then(|hints| hints.destructive.clone()),
            idempotent: hints.and_then(|hints| hints.idempotent.clone()),
            open_world: hints.and_then(|hints| hints.open_world.clone()),
        },
        reason: keys.reason,
    }
}

/// Returns the projection of a response, unless it lacks a part, which the table's rules report.
fn response(Placed { value: keys, place }: Placed<keys::ResponseParts>) -> Option<ResponseEntry> {
    Some(ResponseEntry {
        place,
        keep: keys.keep,
        drop: keys.drop,
        reason: keys.reason?.value,
    })
}

/// Returns a proposal, unless it lacks a part, which the table's rules report.
fn proposal(
    selector: Placed<Selector>,
    keys: keys::Proposal,
) -> Option<(Placed<Selector>, Proposal)> {
    let text = |key, text: Option<Placed<String>>| text.map(|text| (key, text.value));
    let changes = [
        text("verb", keys.verb),
        text("noun", keys.noun),
        text("title", keys.title),
        text("short", keys.short),
        text("description", keys.description),
        text("when_to_use", keys.when_to_use),
        keys.effect
            .map(|effect| ("effect", effect.value.to_string())),
    ];
    let proposal = Proposal {
        selector: selector.value.to_string(),
        proposed_by: keys.proposed_by?.value,
        reason: keys.reason?.value,
        changes: changes.into_iter().flatten().collect(),
    };
    Some((selector, proposal))
}

fn patch((schema, keys): (Placed<String>, keys::SchemaPatch)) -> Option<Patch> {
    Some(Patch {
        schema,
        optional: keys.optional,
        required: keys.required,
        nullable: keys.nullable,
        secret: keys.secret,
        types: keys.r#type,
        values: keys.r#enum,
        reason: keys.reason?.value,
    })
}

/// Returns the schemes, without those that the table's rules report.
fn schemes(schemes: Vec<(Placed<String>, keys::SecurityScheme)>) -> Vec<(Placed<String>, Scheme)> {
    let schemes = schemes.into_iter().filter_map(|(name, keys)| {
        let places = [
            (Location::Header, keys.header),
            (Location::Query, keys.query),
            (Location::Cookie, keys.cookie),
        ];
        let key = places
            .into_iter()
            .find_map(|(location, name)| Some((location, name?)));
        let scheme = match (keys.http, key) {
            (Some(http), None) => http.value.scheme(),
            (None, Some((location, name))) => Scheme::ApiKey {
                location,
                name: name.value,
                prefix: keys.prefix.map(|prefix| prefix.value),
            },
            _ => return None,
        };
        Some((name, scheme))
    });
    schemes.collect()
}

fn security(Placed { value: keys, place }: Placed<keys::Security>) -> Option<SecurityEntry> {
    Some(SecurityEntry {
        place,
        alternatives: keys.any_of?,
        reason: keys.reason?.value,
    })
}

fn headers(headers: Vec<(Placed<String>, keys::Header)>) -> Vec<HeaderEntry> {
    let headers = headers.into_iter().filter_map(|(name, keys)| {
        let value = match (keys.constant, keys.value) {
            (Some(constant), None) => Bound::Constant(constant.value),
            (None, Some(value)) => Bound::Fixed(value.value.into()),
            // The table's rule reports this case.
            _ => return None,
        };
        let reason = keys.reason?.value;
        Some(HeaderEntry {
            name,
            value,
            reason,
        })
    });
    headers.collect()
}

fn pins(pins: Vec<(Placed<String>, keys::Pin)>) -> Vec<Pin> {
    let pins = pins.into_iter().filter_map(|(name, keys)| {
        let value = match (keys.constant, keys.value) {
            (Some(constant), None) => Bound::Constant(constant.value),
            (None, Some(value)) => Bound::Fixed(value),
            // The table's rule reports this case.
            _ => return None,
        };
        Some(Pin { name, value })
    });
    pins.collect()
}

fn server(Placed { value: keys, place }: Placed<keys::Server>) -> ServerChoice {
    let index = keys.index.map(|index| index.map(ServerSelector::Index));
    let url = keys.url.map(|url| url.map(ServerSelector::Url));
    let description = keys.description;
    let description = description.map(|text| text.map(ServerSelector::Description));
    ServerChoice {
        place,
        selector: index.or(url).or(description),
        variables: keys.variables,
    }
}

fn separators(reasons: Vec<(Placed<String>, String)>) -> Vec<Allowance> {
    let reasons = reasons.into_iter();
    reasons
        .map(|(name, reason)| Allowance { name, reason })
        .collect()
}
