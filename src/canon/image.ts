import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"
import type { Usage } from "./usage.ts"

/** The task. */
export type ImageTask = "generation" | "edit" | "variation"

/** Pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** An image that was sent with a request. */
export interface ImageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

/** Images as events; drafts of each may precede it. */
export interface ImageStream {
  /** Drafts of an image, at most; the vendor may make fewer. */
  readonly drafts: number
}

/** What marks the pixels of a mask that may change. OpenAI's masks mark them by transparency. */
export type MaskStyle = "transparent" | "white" | "black"

/** How the caller wants the images: a link to each, or its bytes as base64. */
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
  /** The images that an edit or a variation starts from. */
  readonly images: readonly ImageFile[]
  /** Where it is transparent, an edit may change the first image; or as the vendor's masks mark it. */
  readonly mask?: ImageFile
  /** Present where the images are requested as events. */
  readonly stream?: ImageStream
  /** All other options, by OpenAI's names: `quality`, `style`, `background`. */
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

/** A vendor's result for a request. */
export interface ImageResult {
  readonly images: readonly Image[]
  /** Tokens, where the vendor counts them. */
  readonly usage?: Usage
  /** How many of them were text and how many images, in OpenAI's form. */
  readonly usageDetails?: JsonObject
  /** What the vendor reports about all images, by OpenAI's names: `background`, `output_format`. */
  readonly facts: JsonObject
}

/** All tasks. */
export const ALL_TASKS: readonly ImageTask[] = ["generation", "edit", "variation"]

/** How one family of vendors makes images. */
export interface ImageFormat extends OperationFormat<ImageRequest, ImageResult> {
  /** What some of their models can do, even if emulated. */
  readonly tasks: readonly ImageTask[]
  /** How a model's masks are drawn: like OpenAI's where this is absent or returns undefined. */
  maskStyle?(model: string): MaskStyle | undefined
  /**
   * The request with the size and the quality that the model is asked for, by which an image is priced; absent: those
   * of the request.
   */
  sent?(request: ImageRequest, model: string): ImageRequest
  /** Whether a model can send the request's images as OpenAI's events; absent: none can. */
  streams?(request: ImageRequest, model: string): boolean
}

/** The size of an image when none is given (docs/api.md#images). */
export const DEFAULT_SIZE: ImageSize = Object.freeze({ width: 1024, height: 1024 })

/** The size to make: the usual one where the caller named none; undefined when the model is to choose. */
export function wantedSize(request: ImageRequest): ImageSize | undefined {
  return request.size === "auto" ? undefined : (request.size ?? DEFAULT_SIZE)
}

/** `1024x1024` */
export function sizeName({ width, height }: ImageSize): string {
  return `${width}x${height}`
}
