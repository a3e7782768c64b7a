//! The text format of Prometheus, version 0.0.4.

use std::fmt::Write;

use super::{BOUNDS, Family, Histogram, Labels, Samples};

/// Writes families in the text format of Prometheus.
#[must_use]
pub fn text(families: &[Family]) -> String {
    let mut text = String::new();
    for family in families {
        let Family { name, help, .. } = family;
        let kind = match family.samples {
            Samples::Counter(_) => "counter",
            Samples::Gauge(_) => "gauge",
            Samples::Histogram(_) => "histogram",
        };
        line(&mut text, format_args!("# HELP {name} {help}"));
        line(&mut text, format_args!("# TYPE {name} {kind}"));
        match &family.samples {
            Samples::Counter(samples) | Samples::Gauge(samples) => {
                for (labels, value) in samples {
                    sample(&mut text, name, "", labels, None, value);
                }
            }
            Samples::Histogram(samples) => {
                for (labels, histogram) in samples {
                    distribution(&mut text, name, labels, histogram);
                }
            }
        }
    }
    text
}

fn distribution(text: &mut String, name: &str, labels: &Labels, histogram: &Histogram) {
    let mut count = 0;
    let bounds = BOUNDS.iter().map(ToString::to_string);
    let bounds = bounds.chain(["+Inf".to_owned()]);
    for (bound, bucket) in bounds.zip(&histogram.buckets) {
        count += bucket;
        sample(text, name, "_bucket", labels, Some(&bound), &count);
    }
    sample(text, name, "_sum", labels, None, &histogram.sum);
    sample(text, name, "_count", labels, None, &count);
}

fn sample(
    text: &mut String,
    name: &str,
    ending: &str,
    labels: &Labels,
    bound: Option<&str>,
    value: &impl std::fmt::Display,
) {
    let labels = labels.iter().map(|(name, value)| (*name, value.as_str()));
    let labels: Vec<String> = labels
        .chain(bound.map(|bound| ("le", bound)))
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    let labels = match labels.as_slice() {
        [] => String::new(),
        labels => format!("{{{}}}", labels.join(",")),
    };
    line(text, format_args!("{name}{ending}{labels} {value}"));
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_cumulative_and_labels_are_escaped() {
        let mut histogram = Histogram::default();
        histogram.buckets[1] = 2;
        histogram.buckets[12] = 1;
        histogram.sum = 31.5;
        let family = Family {
            name: "seconds",
            help: "Durations.",
            samples: Samples::Histogram(vec![(vec![("tool", "a\"b".to_owned())], histogram)]),
        };
        let text = text(&[family, Family::value("waiting", "Waiting.", 3)]);
        assert!(text.starts_with("# HELP seconds Durations.\n# TYPE seconds histogram\n"));
        for line in [
            r#"seconds_bucket{tool="a\"b",le="0.005"} 0"#,
            r#"seconds_bucket{tool="a\"b",le="0.01"} 2"#,
            r#"seconds_bucket{tool="a\"b",le="30"} 2"#,
            r#"seconds_bucket{tool="a\"b",le="+Inf"} 3"#,
            r#"seconds_sum{tool="a\"b"} 31.5"#,
            r#"seconds_count{tool="a\"b"} 3"#,
            "waiting 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
