//! The encoder: BERT with the average of its outputs, normalised.

use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut1, Axis, Slice};
use safetensors::{Dtype, SafeTensors};
use toolwright::codec::Value;

/// The smallest variance that is divided by.
const EPSILON: f32 = 1e-12;

/// A linear layer.
struct Linear {
    /// The weights, transposed: inputs × outputs.
    weights: Array2<f32>,
    bias: Array1<f32>,
}

/// A normalisation.
struct Norm {
    scale: Array1<f32>,
    bias: Array1<f32>,
}

/// One layer of the encoder.
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// The encoder.
pub(super) struct Encoder {
    words: Array2<f32>,
    positions: Array2<f32>,
    /// The vector of the first segment. There is one.
    segment: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
}

impl Encoder {
    /// Reads the configuration and the weights.
    pub(super) fn read(config: &[u8], weights: &[u8]) -> Result<Self, String> {
        let config: Value =
            serde_json::from_slice(config).map_err(|error| format!("`config.json`: {error}"))?;
        let number = |key: &str| {
            let number = config.get(key).and_then(Value::as_u64);
            let number = number.and_then(|number| usize::try_from(number).ok());
            number
                .filter(|number| *number > 0)
                .ok_or_else(|| format!("`config.json` has no `{key}`"))
        };
        let (number_of_layers, heads) =
            (number("num_hidden_layers")?, number("num_attention_heads")?);
        let tensors = SafeTensors::deserialize(weights).map_err(|error| error.to_string())?;
        let weights = Weights(tensors);
        let words = weights.matrix("embeddings.word_embeddings.weight")?;
        let width = words.ncols();
        let sizes = Sizes {
            width,
            inner: number("intermediate_size")?,
        };
        if width == 0 || !width.is_multiple_of(heads) {
            return Err(format!("{width} is not a multiple of {heads} heads"));
        }
        let segments = weights.matrix("embeddings.token_type_embeddings.weight")?;
        let segment = segments.rows().into_iter().next();
        let segment = segment.ok_or("there is no segment")?.to_owned();
        let positions = weights.matrix("embeddings.position_embeddings.weight")?;
        if positions.ncols() != width || segment.len() != width || positions.nrows() == 0 {
            return Err(format!("the embeddings do not have {width} columns each"));
        }
        let layers = (0..number_of_layers).map(|layer| weights.layer(layer, &sizes));
        Ok(Self {
            words,
            positions,
            segment,
            norm: weights.norm("embeddings.LayerNorm", width)?,
            layers: layers.collect::<Result<_, String>>()?,
            heads,
        })
    }

    /// Returns the vector of tokens, of length 1.
    pub(super) fn encode(&self, tokens: &[usize]) -> Vec<f32> {
        let width = self.words.ncols();
        let most = tokens.len().min(self.positions.nrows());
        let mut states = Array2::zeros((most, width));
        for (place, (token, mut state)) in tokens.iter().zip(states.rows_mut()).enumerate() {
            let rows = [(&self.words, *token), (&self.positions, place)];
            for (matrix, row) in rows {
                if row < matrix.nrows() {
                    state += &matrix.row(row);
                }
            }
            state += &self.segment;
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            states = layer.apply(&states, self.heads);
        }
        let mean = states.mean_axis(Axis(0));
        let mean = mean.unwrap_or_else(|| Array1::zeros(width));
        let length = mean.dot(&mean).sqrt().max(f32::MIN_POSITIVE);
        (mean / length).to_vec()
    }
}

impl Layer {
    fn apply(&self, states: &Array2<f32>, heads: usize) -> Array2<f32> {
        let (query, key) = (self.query.apply(states), self.key.apply(states));
        let value = self.value.apply(states);
        let width = states.ncols() / heads;
        let scale = 1.0 / (width as f32).sqrt();
        let mut attended = Array2::zeros(states.raw_dim());
        for head in 0..heads {
            let columns = Slice::from(head * width..(head + 1) * width);
            let mut scores = query
                .slice_axis(Axis(1), columns)
                .dot(&key.slice_axis(Axis(1), columns).t())
                * scale;
            for row in scores.rows_mut() {
                softmax(row);
            }
            let mixed = scores.dot(&value.slice_axis(Axis(1), columns));
            attended.slice_axis_mut(Axis(1), columns).assign(&mixed);
        }
        let mut attended = self.attended.apply(&attended) + states;
        self.attended_norm.apply(&mut attended);
        let inner = self.inner.apply(&attended).mapv(gelu);
        let mut states = self.outer.apply(&inner) + &attended;
        self.norm.apply(&mut states);
        states
    }
}

impl Linear {
    fn apply(&self, states: &Array2<f32>) -> Array2<f32> {
        states.dot(&self.weights) + &self.bias
    }
}

impl Norm {
    fn apply(&self, states: &mut Array2<f32>) {
        for mut row in states.rows_mut() {
            let mean = row.mean().unwrap_or_default();
            row -= mean;
            let variance = row.dot(&row) / row.len() as f32;
            row /= (variance + EPSILON).sqrt();
            row *= &self.scale;
            row += &self.bias;
        }
    }
}

fn softmax(mut row: ArrayViewMut1<'_, f32>) {
    let largest = row.fold(f32::NEG_INFINITY, |largest, score| largest.max(*score));
    row.mapv_inplace(|score| (score - largest).exp());
    let sum = row.sum();
    row /= sum;
}

/// The activation of the inner layer, by its usual approximation.
fn gelu(x: f32) -> f32 {
    let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    0.5 * x * (1.0 + inner.tanh())
}

/// Returns the similarity of two vectors of length 1.
pub(crate) fn similarity(a: &[f32], b: &[f32]) -> f32 {
    ArrayView1::from(a).dot(&ArrayView1::from(b))
}

/// The sizes of the vectors in a model.
struct Sizes {
    width: usize,
    inner: usize,
}

/// The weights of a model, by their names. Their shapes are checked, since products of others panic.
struct Weights<'a>(SafeTensors<'a>);

impl Weights<'_> {
    fn layer(&self, layer: usize, sizes: &Sizes) -> Result<Layer, String> {
        let &Sizes { width, inner } = sizes;
        let of = |name: &str| format!("encoder.layer.{layer}.{name}");
        let linear = |name: &str, inputs, outputs| self.linear(&of(name), inputs, outputs);
        Ok(Layer {
            query: linear("attention.self.query", width, width)?,
            key: linear("attention.self.key", width, width)?,
            value: linear("attention.self.value", width, width)?,
            attended: linear("attention.output.dense", width, width)?,
            attended_norm: self.norm(&of("attention.output.LayerNorm"), width)?,
            inner: linear("intermediate.dense", width, inner)?,
            outer: linear("output.dense", inner, width)?,
            norm: self.norm(&of("output.LayerNorm"), width)?,
        })
    }

    fn linear(&self, name: &str, inputs: usize, outputs: usize) -> Result<Linear, String> {
        let weights = self.matrix(&format!("{name}.weight"))?;
        if weights.dim() != (outputs, inputs) {
            let (rows, columns) = weights.dim();
            return Err(format!(
                "`{name}` is {rows} × {columns}, and {outputs} × {inputs} was expected"
            ));
        }
        let weights = weights.t().as_standard_layout().into_owned();
        let bias = self.vector(&format!("{name}.bias"), outputs)?;
        Ok(Linear { weights, bias })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, String> {
        Ok(Norm {
            scale: self.vector(&format!("{name}.weight"), width)?,
            bias: self.vector(&format!("{name}.bias"), width)?,
        })
    }

    fn matrix(&self, name: &str) -> Result<Array2<f32>, String> {
        match self.numbers(name)? {
            (shape, numbers) if shape.len() == 2 => {
                let shape = (shape.first().copied(), shape.last().copied());
                let shape = (shape.0.unwrap_or_default(), shape.1.unwrap_or_default());
                Array2::from_shape_vec(shape, numbers).map_err(|error| format!("`{name}`: {error}"))
            }
            _ => Err(format!("`{name}` is not a matrix")),
        }
    }

    fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, String> {
        let (_, numbers) = self.numbers(name)?;
        if numbers.len() == length {
            return Ok(numbers.into());
        }
        Err(format!(
            "`{name}` has {} numbers, and {length} were expected",
            numbers.len()
        ))
    }

    fn numbers(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), String> {
        // Some models have a prefix.
        let names = [name.to_owned(), format!("bert.{name}")];
        let mut found = names.iter().filter_map(|name| self.0.tensor(name).ok());
        let tensor = found.next().ok_or_else(|| format!("`{name}` is missing"))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(format!("the numbers of `{name}` do not have 32 bits"));
        }
        let numbers = tensor.data().chunks_exact(4).map(|bytes| {
            let mut number = [0; 4];
            number.copy_from_slice(bytes);
            f32::from_le_bytes(number)
        });
        Ok((tensor.shape().to_vec(), numbers.collect()))
    }
}
