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
    help: "Every price is multiplied by it, unless a model has one of its own: 1.2 adds a fifth.",
    default: "1",
    show: ({ multiplier }) => multiplier,
    take: (settings, { multiplier }) => ({ ...settings, multiplier }),
  },
  {
    name: "aliases",
    label: "Aliases",
    help: "Further names of models, and the ids that they stand for: gpt-4o=openai/gpt-5.4, fast=groq/llama. Without it: the names that models have at their vendors.",
    default: null,
    show: ({ aliases }) => aliasLine(aliases),
    take: (settings, { aliases }) => (aliases === undefined ? settings : { ...settings, aliases }),
  },
  {
    name: "defaults.image_model",
    label: "Image model",
    help: "The model of image requests that name none. Without it: the first that the key may call.",
    default: null,
    show: ({ imageModel }) => imageModel ?? null,
    take: (settings, { imageModel }) =>
      imageModel === undefined ? settings : { ...settings, imageModel },
  },
  {
    name: "defaults.translation_model",
    label: "Translation model",
    help: "The chat model that translates what a model has written down that only transcribes. Without it: the first that the key may call.",
    default: null,
    show: ({ translationModel }) => translationModel ?? null,
    take: (settings, { translationModel }) =>
      translationModel === undefined ? settings : { ...settings, translationModel },
  },
  {
    name: "server.public_url",
    label: "Public address",
    help: "The address by which callers and browsers reach this gateway, when it is not the one it listens on.",
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
    help: "How long a provider may take until its answer begins.",
    default: "10m",
  }),
  deadline("betweenBytes", {
    name: "deadlines.between_bytes",
    label: "Time between bytes",
    help: "How long an answer that has begun may be silent.",
    default: "2m",
  }),
  deadline("whole", {
    name: "deadlines.whole",
    label: "Time for a whole request",
    help: "How long a request may take in all.",
    default: "30m",
  }),
  {
    name: "images.link_minutes",
    label: "Lifetime of image links, minutes",
    help: "How long a link to a generated picture works, from 1 to 10080.",
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
    help: "Whether an edit has to come with a mask: required, or optional for clients that send none.",
    default: "required",
    show: ({ images }) => images.mask ?? "required",
    take: (settings, { images: { mask } }) =>
      mask === undefined ? settings : { ...settings, images: { ...settings.images, mask } },
  },
  {
    name: "limits.body_mb",
    label: "Largest request, MB",
    help: "The largest JSON body that is read, from 1 to 512.",
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
    help: "The largest answer of a provider that is read whole, from 1 to 1024. Streams are not limited.",
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
    help: "What all requests may hold at once, from 64. Without it: a quarter of the machine's memory, at least 256.",
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
    help: "The largest picture or file that is fetched from an address in a request, from 1 to 512.",
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
    help: "How long answers of /v1/responses are kept for callers to go on from, at most 24h. 'off' keeps none and deletes what is kept.",
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
    help: "How much is kept of the responses of one account; its oldest give way.",
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
    help: "How much is kept of the responses of all accounts; the oldest of the account that keeps most give way.",
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
