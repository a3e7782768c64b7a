//! Plots of cost over document size, with both axes logarithmic.

use std::{error::Error, ops::Range, path::Path};

use plotters::prelude::*;

/// One generator's points: the size of a document in MB and the cost.
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

/// The colours of the series, in order, from the colour-blind safe palette of Okabe and Ito.
const COLOURS: [RGBColor; 4] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
];

/// Writes a plot as SVG.
pub(crate) fn write(path: &Path, title: &str, unit: &str, all: &[Series]) -> Result<(), String> {
    draw(path, title, unit, all).map_err(|error| format!("{}: {error}", path.display()))
}

fn draw(path: &Path, title: &str, unit: &str, all: &[Series]) -> Result<(), Box<dyn Error>> {
    let points = || all.iter().flat_map(|series| &series.points);
    let (xs, ys) = (
        bounds(points().map(|point| point.0)),
        bounds(points().map(|point| point.1)),
    );
    let area = SVGBackend::new(path, (760, 460)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(62)
        .build_cartesian_2d(xs.log_scale(), ys.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("size of the document, MB")
        .y_desc(unit)
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(225, 225, 225))
        .label_style(("sans-serif", 13))
        .x_label_formatter(&label)
        .y_label_formatter(&label)
        .draw()?;
    for (series, colour) in all.iter().zip(COLOURS) {
        let points = series.points.iter();
        chart
            .draw_series(points.map(|point| Circle::new(*point, 4, colour.filled())))?
            .label(series.name)
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(RGBColor(180, 180, 180))
        .label_font(("sans-serif", 13))
        .draw()?;
    area.present()?;
    Ok(())
}

/// Returns the label of an axis value: only values that begin with 1, 2 or 5 get one, because the
/// labels would overlap otherwise.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the plotting library passes a reference"
)]
fn label(value: &f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text.trim_start_matches(['0', '.']).trim_end_matches('0') {
        "1" | "2" | "5" => text.to_owned(),
        _ => String::new(),
    }
}

/// Returns a range slightly larger than the span of the values.
fn bounds(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, greatest) = values.fold((f64::MAX, 0.0_f64), |(least, greatest), value| {
        (least.min(value), greatest.max(value))
    });
    if greatest == 0.0 {
        return 0.1..10.0;
    }
    (least.max(0.001) / 1.4)..(greatest * 1.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_labelled_sparsely() {
        let labels = [0.1, 0.2, 0.300_000_000_000_000_04, 0.5, 1.0, 3.0, 5.0, 20.0];
        let expected = ["0.1", "0.2", "", "0.5", "1", "", "5", "20"];
        assert_eq!(labels.map(|value| label(&value)), expected);
    }
}
