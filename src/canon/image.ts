import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"
import type { Usage } from "./usage.ts"

/** What is to be done. */
export type ImageTask = "generation" | "edit" | "variation"

/** Pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** An image as it came with a request. */
export interface ImageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

/** Images as events: drafts of each may come before it. */
export interface ImageStream {
  /** Drafts of an image, at most; the vendor may make fewer. */
  readonly drafts: number
}

/** What in a mask marks the pixels that may change. OpenAI's masks mark them by being transparent. */
export type MaskStyle = "transparent" | "white" | "black"

/** How the caller takes images: a link to each, or its bytes as base64. */
export type ImageForm = "url" | "b64_json"

/** A request for images. */
export interface ImageRequest {
  readonly task: ImageTask
  /** Empty for a variation, which has none. */
  readonly prompt: string
  /** How many images. */
  readonly count: number
  /** Absent when the caller named none; `auto` when the model is to choose. */
  readonly size?: ImageSize | "auto"
  readonly form: ImageForm
  /** What an edit or a variation begins with. */
  readonly images: readonly ImageFile[]
  /** Where it is transparent, an edit may change the first image; or as the vendor's masks mark it. */
  readonly mask?: ImageFile
  /** Present where the images are to come as events. */
  readonly stream?: ImageStream
  /** Everything else that was asked for, by OpenAI's names: `quality`, `style`, `background`. */
  readonly options: JsonObject
}

/** Where an image is. */
export type ImageSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }

/** One image that was made. */
export interface Image {
  readonly source: ImageSource
  /** The prompt as the model rewrote it. */
  readonly revisedPrompt?: string
}

/** What a vendor made of a request. */
export interface ImageResult {
  readonly images: readonly Image[]
  /** Tokens, where the vendor counts them. */
  readonly usage?: Usage
  /** How many of them were text and how many images, as OpenAI tells it. */
  readonly usageDetails?: JsonObject
  /** What the vendor says of all images, by OpenAI's names: `background`, `output_format`. */
  readonly facts: JsonObject
}

/** All there is to be done. */
export const ALL_TASKS: readonly ImageTask[] = ["generation", "edit", "variation"]

/** How one family of vendors makes images. */
export interface ImageFormat extends OperationFormat<ImageRequest, ImageResult> {
  /** What some model of theirs does, be it emulated. */
  readonly tasks: readonly ImageTask[]
  /** How a model's masks are drawn: as OpenAI's where it is absent or says nothing. */
  maskStyle?(model: string): MaskStyle | undefined
  /** Whether a model sends what is asked for as OpenAI's events; absent: none does. */
  streams?(request: ImageRequest, model: string): boolean
}

/** The size an image has when no one says otherwise (docs/api.md#images). */
export const DEFAULT_SIZE: ImageSize = Object.freeze({ width: 1024, height: 1024 })

/** The size to make: the usual one where the caller named none; undefined when the model is to choose. */
export function wantedSize(request: ImageRequest): ImageSize | undefined {
  return request.size === "auto" ? undefined : (request.size ?? DEFAULT_SIZE)
}

/** `1024x1024` */
export function sizeName({ width, height }: ImageSize): string {
  return `${width}x${height}`
}
