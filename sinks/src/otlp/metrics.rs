//! Metrics as OTLP.

use jiff::Timestamp;
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    common::v1::KeyValue,
    metrics::v1::{
        AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
        ResourceMetrics, ScopeMetrics, Sum, metric::Data, number_data_point::Value,
    },
};

use super::{
    records::nanoseconds,
    values::{resource, scope, text},
};
use crate::metrics::{BOUNDS, Family, Labels, Samples};

/// Returns families as a request. Counts began at `started`.
pub(super) fn request(families: &[Family], started: u64) -> ExportMetricsServiceRequest {
    let now = nanoseconds(Timestamp::now());
    let metrics = families.iter();
    let metrics = metrics.map(|family| metric(family, started, now)).collect();
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(resource(Vec::new())),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(scope()),
                metrics,
                ..ScopeMetrics::default()
            }],
            ..ResourceMetrics::default()
        }],
    }
}

fn metric(family: &Family, started: u64, now: u64) -> Metric {
    let cumulative = AggregationTemporality::Cumulative.into();
    let data = match &family.samples {
        Samples::Counter(samples) => Data::Sum(Sum {
            data_points: points(samples, started, now),
            aggregation_temporality: cumulative,
            is_monotonic: true,
        }),
        Samples::Gauge(samples) => Data::Gauge(Gauge {
            data_points: points(samples, 0, now),
        }),
        Samples::Histogram(samples) => {
            let points = samples
                .iter()
                .map(|(labels, histogram)| HistogramDataPoint {
                    attributes: attributes(labels),
                    start_time_unix_nano: started,
                    time_unix_nano: now,
                    count: histogram.count(),
                    sum: Some(histogram.sum),
                    bucket_counts: histogram.buckets.to_vec(),
                    explicit_bounds: BOUNDS.to_vec(),
                    ..HistogramDataPoint::default()
                });
            Data::Histogram(Histogram {
                data_points: points.collect(),
                aggregation_temporality: cumulative,
            })
        }
    };
    Metric {
        name: family.name.to_owned(),
        description: family.help.to_owned(),
        data: Some(data),
        ..Metric::default()
    }
}

fn points(samples: &[(Labels, u64)], started: u64, now: u64) -> Vec<NumberDataPoint> {
    let points = samples.iter().map(|(labels, value)| NumberDataPoint {
        attributes: attributes(labels),
        start_time_unix_nano: started,
        time_unix_nano: now,
        value: Some(Value::AsInt(i64::try_from(*value).unwrap_or(i64::MAX))),
        ..NumberDataPoint::default()
    });
    points.collect()
}

fn attributes(labels: &Labels) -> Vec<KeyValue> {
    let labels = labels.iter();
    labels
        .map(|(name, value)| text(*name, value.as_str()))
        .collect()
}
