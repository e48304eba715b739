import type { Kind } from "./shape.ts"

/** The facts that determine the kind of a model. Empty modalities mean that the lists do not give them. */
export interface KindClues {
  name: string
  inputs: string[]
  outputs: string[]
}

interface KindRule {
  kind: Kind | undefined
  name?: RegExp
  when?: (clues: KindClues) => boolean
}

const only = (modalities: string[], modality: string): boolean =>
  modalities.length > 0 && modalities.every((each) => each === modality)

// The first matching rule applies. Undefined stands for a kind that the gateway does not support.
const kindRules: KindRule[] = [
  { kind: undefined, name: /moderation|guard|safety|gliner|detect/ },
  { kind: undefined, name: /realtime|live|voicechat|studiovoice|sonic/ },
  { kind: undefined, name: /lyria|esm2|esmfold|usdvalidate|paligemma|ocr/ },
  // The price of a router is the price of the model that it selects, which no list contains.
  { kind: undefined, name: /^openrouter\/(?!free)|model-router|switchpoint/ },
  { kind: undefined, when: ({ outputs }) => outputs.includes("video") },
  { kind: "rerank", name: /rerank/ },
  { kind: "embedding", name: /embed|bge-|^voyage-/ },
  { kind: "transcription", name: /whisper|transcribe/ },
  { kind: "transcription", when: ({ inputs }) => only(inputs, "audio") },
  { kind: "speech", name: /tts|orpheus/ },
  { kind: "speech", when: ({ outputs }) => only(outputs, "audio") },
  {
    kind: "image",
    name: /image|dall-e|imagen|flux|sdxl/,
    when: ({ outputs }) => outputs.length === 0 || outputs.includes("image"),
  },
  { kind: "image", when: ({ outputs }) => outputs.includes("image") && !outputs.includes("text") },
  {
    kind: "chat",
    when: ({ inputs, outputs }) => inputs.includes("text") && outputs.includes("text"),
  },
]

/** Returns the kind of a model; undefined for a model that is omitted. */
export function kindOf(clues: KindClues): Kind | undefined {
  const name = clues.name.toLowerCase()
  return kindRules.find((rule) => (rule.name?.test(name) ?? true) && (rule.when?.(clues) ?? true))
    ?.kind
}
