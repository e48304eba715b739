import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"
import type { Usage } from "./usage.ts"

/** What is to be done. */
export type ImageTask = "generation" | "edit" | "variation"

/** Pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** A picture as it came with a request. */
export interface PictureFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

/** Pictures as events: drafts of each may come before it. */
export interface PictureStream {
  /** Drafts of a picture, at most; the vendor may make fewer. */
  readonly drafts: number
}

/** What in a mask marks the pixels that may change. OpenAI's masks mark them by being transparent. */
export type MaskStyle = "transparent" | "white" | "black"

/** How the caller takes pictures: a link to each, or its bytes as base64. */
export type PictureForm = "url" | "b64_json"

/** A request for pictures. */
export interface ImageRequest {
  readonly task: ImageTask
  /** Empty for a variation, which has none. */
  readonly prompt: string
  /** How many pictures. */
  readonly count: number
  /** Absent when the caller named none; `auto` when the model is to choose. */
  readonly size?: PictureSize | "auto"
  readonly form: PictureForm
  /** What an edit or a variation begins with. */
  readonly images: readonly PictureFile[]
  /** Where it is transparent, an edit may change the first image; or as the vendor's masks mark it. */
  readonly mask?: PictureFile
  /** Present where the pictures are to come as events. */
  readonly stream?: PictureStream
  /** Everything else that was asked for, by OpenAI's names: `quality`, `style`, `background`. */
  readonly wishes: JsonObject
}

/** Where a picture is. */
export type PictureSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }

/** One picture that was made. */
export interface Picture {
  readonly source: PictureSource
  /** The prompt as the model rewrote it. */
  readonly revisedPrompt?: string
}

/** What a vendor made of a request. */
export interface ImageResult {
  readonly pictures: readonly Picture[]
  /** Tokens, where the vendor counts them. */
  readonly usage?: Usage
  /** How many of them were text and how many pictures, as OpenAI tells it. */
  readonly usageDetails?: JsonObject
  /** What the vendor says of all pictures, by OpenAI's names: `background`, `output_format`. */
  readonly facts: JsonObject
}

/** All there is to be done. */
export const ALL_TASKS: readonly ImageTask[] = ["generation", "edit", "variation"]

/** How one family of vendors makes pictures. */
export interface ImageFormat extends OperationFormat<ImageRequest, ImageResult> {
  /** What some model of theirs does, be it emulated. */
  readonly tasks: readonly ImageTask[]
  /** How a model's masks are drawn: as OpenAI's where it is absent or says nothing. */
  maskStyle?(model: string): MaskStyle | undefined
  /** Whether a model sends what is asked for as OpenAI's events; absent: none does. */
  streams?(request: ImageRequest, model: string): boolean
}

/** The size a picture has when nobody says otherwise (docs/api.md#images). */
export const DEFAULT_SIZE: PictureSize = Object.freeze({ width: 1024, height: 1024 })

/** `1024x1024` */
export function sizeName({ width, height }: PictureSize): string {
  return `${width}x${height}`
}
