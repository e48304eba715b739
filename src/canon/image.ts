import type { JsonObject } from "./json.ts"
import type { OperationFormat } from "./operation.ts"
import type { Usage } from "./usage.ts"

export type ImageTask = "generation" | "edit" | "variation"

/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** An image that was sent with a request. */
export interface ImageFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mediaType: string
}

/** Options for images that are sent as events, optionally preceded by drafts of each image. */
export interface ImageStream {
  /** Maximum number of drafts per image. The vendor may send fewer. */
  readonly drafts: number
}

/** How a mask marks the pixels that may change. OpenAI's masks use transparency. */
export type MaskStyle = "transparent" | "white" | "black"

/** The requested form of the images: links, or the bytes as base64. */
export type ImageForm = "url" | "b64_json"

export interface ImageRequest {
  readonly task: ImageTask
  /** The prompt; empty for a variation. */
  readonly prompt: string
  /** Number of requested images. */
  readonly count: number
  /** The requested size; absent if the caller did not name a size, `auto` if the model chooses. */
  readonly size?: ImageSize | "auto"
  readonly form: ImageForm
  /** The images that an edit or a variation starts from. */
  readonly images: readonly ImageFile[]
  /**
   * The mask that marks the parts of the first image that an edit may change, by transparency or in the vendor's own
   * style.
   */
  readonly mask?: ImageFile
  /** Set if the images are requested as events. */
  readonly stream?: ImageStream
  /** All other options, under OpenAI's names: `quality`, `style`, `background`. */
  readonly options: JsonObject
}

/** The bytes of an image, or a link to them. */
export type ImageSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }

/** A generated image. */
export interface Image {
  readonly source: ImageSource
  /** The prompt as the model rewrote it. */
  readonly revisedPrompt?: string
}

/** One of the upstream calls of a request. */
export interface ImageCall {
  readonly images: number
  /** Token usage, if the vendor counts tokens. */
  readonly usage?: Usage
}

export interface ImageResult {
  readonly images: readonly Image[]
  /** Token usage, if the vendor counts tokens. */
  readonly usage?: Usage
  /** The upstream calls; absent if there was only one. */
  readonly calls?: readonly ImageCall[]
  /** The text and image tokens separately, in OpenAI's form. */
  readonly usageDetails?: JsonObject
  /** Properties of all images as the vendor reports them, under OpenAI's names: `background`, `output_format`. */
  readonly facts: JsonObject
}

export const ALL_TASKS: readonly ImageTask[] = ["generation", "edit", "variation"]

/** Encodes and decodes image requests for one family of vendors. */
export interface ImageFormat extends OperationFormat<ImageRequest, ImageResult> {
  /** Tasks that at least one model of these vendors supports, natively or emulated. */
  readonly tasks: readonly ImageTask[]
  /**
   * Returns the style of a model's masks. If this function is absent or returns undefined, the model uses OpenAI's
   * style.
   */
  maskStyle?(model: string): MaskStyle | undefined
  /**
   * Returns the request with the size and quality that are sent to the model, which determine the price of an image. If
   * absent, the request is sent with its own size and quality.
   */
  sent?(request: ImageRequest, model: string): ImageRequest
  /** Reports whether a model can stream the request's images as OpenAI's events; absent if no model can. */
  streams?(request: ImageRequest, model: string): boolean
}

/** The default size of an image (docs/use/endpoints.md#images). */
export const DEFAULT_SIZE: ImageSize = Object.freeze({ width: 1024, height: 1024 })

/**
 * Returns the size to generate: the default size if the caller did not name a size, and undefined if the model chooses
 * it.
 */
export function wantedSize(request: ImageRequest): ImageSize | undefined {
  return request.size === "auto" ? undefined : (request.size ?? DEFAULT_SIZE)
}

/** Formats a size, for example as `1024x1024`. */
export function sizeName({ width, height }: ImageSize): string {
  return `${width}x${height}`
}
