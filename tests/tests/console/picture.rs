//! A small picture of a page, and its difference from another one.
#![cfg(test)]

use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Transformations};

/// The number of pixels of a page, in each direction, that are one of its small picture. Letters blur, and
/// the layout stays.
const SCALE: usize = 4;

/// The difference of a colour that counts: two of its sixteen levels.
const DIFFERENCE: u8 = 35;

/// A picture.
pub(crate) struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let mut decoder = Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut content = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut content).unwrap();
        let samples = info.color_type.samples();
        assert!(samples >= 3, "{info:?}");
        let content = &content[..info.buffer_size()];
        Self {
            width: info.width as usize,
            height: info.height as usize,
            pixels: content
                .chunks_exact(samples)
                .map(|pixel| [pixel[0], pixel[1], pixel[2]])
                .collect(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (width, height) = (self.width as u32, self.height as u32);
        let mut encoder = Encoder::new(&mut bytes, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(self.pixels.as_flattened()).unwrap();
        writer.finish().unwrap();
        bytes
    }

    /// Returns the small picture: each pixel is the mean of a square, in sixteen levels of each colour.
    pub(crate) fn small(&self) -> Self {
        let (width, height) = (self.width / SCALE, self.height / SCALE);
        let mean = |index: usize| {
            let (left, top) = (index % width * SCALE, index / width * SCALE);
            let mut sums = [0_usize; 3];
            for place in 0..SCALE * SCALE {
                let (x, y) = (left + place % SCALE, top + place / SCALE);
                for (sum, value) in sums.iter_mut().zip(self.pixels[y * self.width + x]) {
                    *sum += usize::from(value);
                }
            }
            sums.map(|sum| (sum / (SCALE * SCALE) / 16 * 17) as u8)
        };
        Self {
            width,
            height,
            pixels: (0..width * height).map(mean).collect(),
        }
    }

    /// Returns the same picture with a number of empty rows after a row.
    pub(crate) fn with_space(&self, row: usize, rows: usize) -> Self {
        let (above, below) = self.pixels.split_at(row * self.width);
        let space = vec![above[0]; rows * self.width];
        let moved = [above, &space, below].concat();
        Self {
            pixels: moved[..self.pixels.len()].to_vec(),
            ..*self
        }
    }

    /// Returns the share of pixels that differ, in per mille. Rows that only one of the pictures has differ.
    pub(crate) fn difference(&self, other: &Self) -> usize {
        assert_eq!(self.width, other.width);
        let differs = |(one, two): (&[u8; 3], &[u8; 3])| {
            let mut pairs = one.iter().zip(two);
            pairs.any(|(one, two)| one.abs_diff(*two) > DIFFERENCE)
        };
        let pairs = self.pixels.iter().zip(&other.pixels);
        let different = pairs.filter(|pair| differs(*pair)).count();
        let more = self.pixels.len().abs_diff(other.pixels.len());
        (different + more) * 1_000 / self.pixels.len().max(1)
    }
}
