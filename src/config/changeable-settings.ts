import { aliasLine } from "./aliases.ts"
import { MEBIBYTE } from "./build.ts"
import type { FileSettings } from "./schema.ts"
import type { DeadlineSettings, Settings } from "./settings.ts"

/** A setting that the console can change while the gateway runs. */
export interface ChangeableSetting {
  /** As in `tollgate.yaml`: `deadlines.connect`. */
  readonly name: string
  readonly label: string
  readonly help: string
  /** Null where there is no default. */
  readonly default: string | null
  /** The active value, as it is written in a file; null when there is none. */
  show(settings: Settings): string | null
  /** The settings with this one taken from `others`. */
  take(settings: Settings, others: Settings): Settings
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

function deadline(
  member: keyof DeadlineSettings,
  words: Pick<ChangeableSetting, "name" | "label" | "help" | "default">,
): ChangeableSetting {
  return {
    ...words,
    help: `${words.help} Such as 500ms, 10s, 5m or 1h.`,
    show: ({ deadlines }) => durationText(deadlines[member]),
    take: (settings, { deadlines }) => ({
      ...settings,
      deadlines: { ...settings.deadlines, [member]: deadlines[member] },
    }),
  }
}

/**
 * The settings that are safe to change at run time. Where the gateway listens, where its data is and who may
 * administer it can be changed only by those who have its files.
 */
export const CHANGEABLE_SETTINGS: readonly ChangeableSetting[] = [
  {
    name: "multiplier",
    label: "Multiplier",
    help: "Multiplies every price, unless a model has its own: 1.2 adds 20%.",
    default: "1",
    show: ({ multiplier }) => multiplier,
    take: (settings, { multiplier }) => ({ ...settings, multiplier }),
  },
  {
    name: "aliases",
    label: "Aliases",
    help: "Alternative model names, as alias=model: gpt-4o=openai/gpt-5.4, fast=groq/llama. By default, the names that vendors use.",
    default: null,
    show: ({ aliases }) => aliasLine(aliases),
    take: (settings, { aliases }) => (aliases === undefined ? settings : { ...settings, aliases }),
  },
  {
    name: "unknown_models",
    label: "Models newer than the price list",
    help: "Whether callers may use them. With family, they are charged at the highest known price of their family.",
    default: "refuse",
    show: ({ unknownModels }) =>
      typeof unknownModels === "object" ? "a fixed price" : (unknownModels ?? "refuse"),
    take: (settings, { unknownModels }) =>
      unknownModels === undefined ? settings : { ...settings, unknownModels },
  },
  {
    name: "defaults.image_model",
    label: "Image model",
    help: "Used for image requests that name no model. By default, the first one the key may call.",
    default: null,
    show: ({ imageModel }) => imageModel ?? null,
    take: (settings, { imageModel }) =>
      imageModel === undefined ? settings : { ...settings, imageModel },
  },
  {
    name: "defaults.translation_model",
    label: "Translation model",
    help: "The chat model that translates transcripts of models that only transcribe. By default, the first one the key may call.",
    default: null,
    show: ({ translationModel }) => translationModel ?? null,
    take: (settings, { translationModel }) =>
      translationModel === undefined ? settings : { ...settings, translationModel },
  },
  {
    name: "server.public_url",
    label: "Public address",
    help: "Where callers and browsers reach this gateway, if that is not the address it listens on.",
    default: null,
    show: ({ publicUrl }) => publicUrl ?? null,
    take: (settings, { publicUrl }) =>
      publicUrl === undefined ? settings : { ...settings, publicUrl },
  },
  deadline("connect", {
    name: "deadlines.connect",
    label: "Time to connect",
    help: "How long a provider may take to accept a connection.",
    default: "5s",
  }),
  deadline("firstByte", {
    name: "deadlines.first_byte",
    label: "Time to the first byte",
    help: "How long a provider may take to start its response.",
    default: "10m",
  }),
  deadline("betweenBytes", {
    name: "deadlines.between_bytes",
    label: "Time between bytes",
    help: "How long a response that has started may be silent.",
    default: "2m",
  }),
  deadline("whole", {
    name: "deadlines.whole",
    label: "Time for a whole request",
    help: "How long a request may take in total.",
    default: "30m",
  }),
  {
    name: "images.link_minutes",
    label: "Lifetime of image links, minutes",
    help: "How long a link to a generated image works, from 1 to 10080.",
    default: "60",
    show: ({ images }) => shortNumber(images.linkLifetime / MINUTE),
    take: (settings, { images }) => ({
      ...settings,
      images: { ...settings.images, linkLifetime: images.linkLifetime },
    }),
  },
  {
    name: "images.mask",
    label: "Masks of image edits",
    help: "Whether image edits need a mask. Some clients send none: choose optional for them.",
    default: "required",
    show: ({ images }) => images.mask ?? "required",
    take: (settings, { images: { mask } }) =>
      mask === undefined ? settings : { ...settings, images: { ...settings.images, mask } },
  },
  {
    name: "images.rules",
    label: "Rules of image edits",
    help: "Whose rules image edits follow: the specification's (a square PNG, a mask, the size of the image), or the model's own, as many clients expect.",
    default: "specification",
    show: ({ images }) => images.rules ?? "specification",
    take: (settings, { images: { rules } }) =>
      rules === undefined ? settings : { ...settings, images: { ...settings.images, rules } },
  },
  {
    name: "limits.body_mb",
    label: "Largest request, MB",
    help: "The largest JSON body that is accepted, from 1 to 512.",
    default: "32",
    show: ({ limits }) => shortNumber(limits.bodyBytes / MEBIBYTE),
    take: (settings, { limits }) => ({
      ...settings,
      limits: { ...settings.limits, bodyBytes: limits.bodyBytes },
    }),
  },
  {
    name: "limits.answer_mb",
    label: "Largest answer, MB",
    help: "The largest provider response that is read as a whole, from 1 to 1024. Streams are not limited.",
    default: "128",
    show: ({ limits }) => shortNumber(limits.answerBytes / MEBIBYTE),
    take: (settings, { limits }) => ({
      ...settings,
      limits: { ...settings.limits, answerBytes: limits.answerBytes },
    }),
  },
  {
    name: "limits.memory_mb",
    label: "Memory for requests, MB",
    help: "What all requests together may use, at least 64. By default, a quarter of the machine's memory, and at least 256.",
    default: null,
    show: ({ limits }) =>
      limits.memoryBytes === undefined ? null : shortNumber(limits.memoryBytes / MEBIBYTE),
    take: (settings, { limits: { memoryBytes } }) =>
      memoryBytes === undefined
        ? settings
        : { ...settings, limits: { ...settings.limits, memoryBytes } },
  },
  {
    name: "limits.media_mb",
    label: "Largest fetched file, MB",
    help: "The largest image or file that is fetched from an address in a request, from 1 to 512.",
    default: "20",
    show: ({ limits }) => shortNumber(limits.mediaBytes / MEBIBYTE),
    take: (settings, { limits }) => ({
      ...settings,
      limits: { ...settings.limits, mediaBytes: limits.mediaBytes },
    }),
  },
  {
    name: "responses.keep",
    label: "How long responses are kept",
    help: "How long callers can continue from a stored response, at most 24h. 'off' stores none and deletes what is stored.",
    default: "24h",
    show: ({ responses }) => (responses.keep === 0 ? "off" : durationText(responses.keep)),
    take: (settings, { responses: { keep } }) => ({
      ...settings,
      responses: { ...settings.responses, keep },
    }),
  },
  {
    name: "responses.account_mb",
    label: "Kept responses of an account, MB",
    help: "How much is stored for one account; its oldest responses are deleted first.",
    default: "256",
    show: ({ responses }) => shortNumber(responses.accountBytes / MEBIBYTE),
    take: (settings, { responses: { accountBytes } }) => ({
      ...settings,
      responses: { ...settings.responses, accountBytes },
    }),
  },
  {
    name: "responses.total_mb",
    label: "Kept responses of all accounts, MB",
    help: "How much is stored in total; the oldest responses of the account with the most are deleted first.",
    default: "4096",
    show: ({ responses }) => shortNumber(responses.totalBytes / MEBIBYTE),
    take: (settings, { responses: { totalBytes } }) => ({
      ...settings,
      responses: { ...settings.responses, totalBytes },
    }),
  },
]

/** The names of the settings that a file sets. */
export function writtenNames(file: FileSettings): string[] {
  return CHANGEABLE_SETTINGS.map(({ name }) => name).filter((name) => {
    let value: unknown = file
    for (const step of name.split(".")) value = (value as Record<string, unknown> | null)?.[step]
    return value !== undefined && value !== null
  })
}

function durationText(milliseconds: number): string {
  if (milliseconds % HOUR === 0) return `${milliseconds / HOUR}h`
  if (milliseconds % MINUTE === 0) return `${milliseconds / MINUTE}m`
  if (milliseconds % SECOND === 0) return `${milliseconds / SECOND}s`
  return `${milliseconds}ms`
}

function shortNumber(value: number): string {
  return String(Math.round(value * 100) / 100)
}
