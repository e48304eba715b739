import { ALIAS_PATTERN, aliasLine, aliasText } from "../aliases.ts"
import { setting } from "../declare.ts"
import { oneOf } from "../scalars.ts"
import { either, entry, MODEL_ID, name, named, record } from "../shapes.ts"
import { price } from "./model-prices.ts"

const UNKNOWN_MODELS = ["reject", "family"] as const

const ALIAS = name(
  ALIAS_PATTERN,
  "an alias must be a name without spaces, commas or equals signs, such as gpt-4o",
)

const unknownModels = either(oneOf(UNKNOWN_MODELS, "rule"), entry({ price }))

const aliases = either(aliasText(), record(ALIAS, MODEL_ID)).transform((table) =>
  named(Object.entries(table)),
)

/** Settings for model names in requests. */
export const MODEL_NAMES = {
  /** Aliases mapped to model ids. */
  aliases: setting(aliases, {
    isNullable: true,
    otherwise: "none",
    documentation:
      'other names for models: `{ gpt-4o: openai/gpt-5.4, fast: groq/llama-3.3-70b-versatile }`, or on one line `"gpt-4o=openai/gpt-5.4, fast=…"`. Each stands for the id of an existing model',
    console: {
      label: "Aliases",
      help: "Alternative model names, as alias=model: gpt-4o=openai/gpt-5.4, fast=groq/llama. By default, the names that vendors use.",
      write: (table) => aliasLine(table),
    },
  }),
  /** Handling of unknown models. If absent, they are rejected with a hint for the operator. */
  unknownModels: setting(unknownModels, {
    isNullable: true,
    implied: "reject",
    documentation:
      "handling of requested models that are not in the price list, such as newly released ones. `reject` rejects them and, if set explicitly, disables the hints of `tollgate doctor` and the console. `family` charges the highest price of their family. `{ price: { input: 5, output: 25 } }` is a price for all of them ([models that are newer than the list](../run/prices.md#models-that-are-newer-than-the-list))",
    console: {
      label: "Models newer than the price list",
      help: "Whether callers may use them. With family, they are charged at the highest known price of their family.",
      write: (rule) => (typeof rule === "object" ? "a fixed price" : rule),
    },
  }),
  /** The model for image requests that name no model; if absent, the first image model that the key may call. */
  imageModel: setting(MODEL_ID, {
    name: "defaults.image_model",
    otherwise: "the first model that the key may call",
    documentation:
      "the model for image requests without a model; if it cannot do the task, the first model that can",
    console: {
      label: "Image model",
      help: "Used for image requests that name no model. By default, the first one the key may call.",
    },
  }),
  /**
   * The chat model that translates transcripts into English if a model only transcribes; if absent, the first that the
   * key may call.
   */
  translationModel: setting(MODEL_ID, {
    name: "defaults.translation_model",
    otherwise: "the first chat model the key may call",
    documentation: "the model that translates for models that only transcribe",
    console: {
      label: "Translation model",
      help: "The chat model that translates transcripts of models that only transcribe. By default, the first one the key may call.",
    },
  }),
}
