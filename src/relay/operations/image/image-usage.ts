import type { CountedUsage } from "../../billing/priced-usage.ts"
import {
  DEFAULT_SIZE,
  type ImageRequest,
  type ImageResult,
  type PictureSize,
  sizeName,
} from "../../../canon/image.ts"
import { isNoUsage, NO_USAGE, type Usage } from "../../../canon/usage.ts"
import type { Deployment, Model } from "../../../catalog/model.ts"
import { priceOfPictures } from "../../../ledger/picture-price.ts"
import { pictureInputBound, pictureTokenBound, promptBound } from "../../../media/picture-tokens.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"

/** Output tokens of a draft beside those of the picture (OpenAI's image generation guide, "Partial images cost"). */
const DRAFT_TOKENS = 100

/** The size that was asked for; undefined when the model is to choose. */
function askedSize(request: ImageRequest): PictureSize | undefined {
  return request.size === "auto" ? undefined : (request.size ?? DEFAULT_SIZE)
}

function qualityOf({ wishes }: ImageRequest): string | undefined {
  const { quality } = wishes
  return typeof quality === "string" ? quality : undefined
}

/** The model with the prices that pictures of the asked kind have. */
export function pricedFor(request: ImageRequest, model: Model): Model {
  const size = askedSize(request)
  const quality = qualityOf(request)
  const kind = { ...(size && { size: sizeName(size) }), ...(quality && { quality }) }
  const deployments = model.deployments.map((deployment) =>
    deployment.price
      ? { ...deployment, price: priceOfPictures(deployment.price, kind) }
      : deployment,
  )
  return { ...model, deployments }
}

/** What a request can use at most: pictures, and the tokens of a model that is priced by them. */
export function worstUsage(request: ImageRequest, model: Model): Usage {
  const images = { ...NO_USAGE, images: request.count }
  if (!model.deployments.some(isPricedByTokens)) return images
  const pictures = request.images.length + (request.mask === undefined ? 0 : 1)
  const bytes = Buffer.byteLength(request.prompt)
  const bounds = model.deployments.map((deployment) => outputBound(request, deployment))
  const drafts = (request.stream?.drafts ?? 0) * DRAFT_TOKENS
  return {
    ...images,
    inputFresh: promptBound(bytes) * request.count,
    imageInput: pictureInputBound(pictures) * request.count,
    output: (Math.max(...bounds) + drafts) * request.count,
  }
}

function isPricedByTokens({ price }: Deployment): boolean {
  const { output, inputFresh, imageInput } = price?.rates ?? {}
  return output !== undefined || inputFresh !== undefined || imageInput !== undefined
}

function outputBound(request: ImageRequest, { upstreamModel }: Deployment): number {
  return pictureTokenBound(upstreamModel, askedSize(request), qualityOf(request))
}

/**
 * What the answer used: the vendor's tokens, and the pictures there are. Where a model is priced by
 * tokens alone and its vendor told none, the most they can be.
 */
export function imagesUsage(
  { pictures, usage }: Pick<ImageResult, "usage"> & { readonly pictures: number },
  deployment: Deployment,
  request: ImageRequest,
): CountedUsage {
  if (usage && !isNoUsage(usage)) {
    return { usage: { ...usage, images: pictures }, estimated: false }
  }
  if (isPricedByPictures(deployment)) {
    return { usage: { ...NO_USAGE, images: pictures }, estimated: false }
  }
  const drafts = (request.stream?.drafts ?? 0) * DRAFT_TOKENS
  const output = (outputBound(request, deployment) + drafts) * pictures
  return { usage: { ...promptUsage(request), output, images: pictures }, estimated: true }
}

function isPricedByPictures({ price }: Deployment): boolean {
  return price?.rates.images !== undefined
}

function promptUsage({ prompt }: ImageRequest): Usage {
  return { ...NO_USAGE, inputFresh: roughTokens(Buffer.byteLength(prompt)) }
}

/**
 * What was used when a stream ended before its picture, by our own count; undefined when nothing was
 * delivered. Of the tokens of a picture a draft shows as many as it is far along. Where pictures have a
 * price, one that the vendor never sent costs nothing; but who leaves with a draft of it pays for it,
 * since the vendor was asked to make it.
 */
export function draftsUsage(
  drafts: number,
  request: ImageRequest,
  deployment: Deployment,
  hasLeft: boolean,
): Usage | undefined {
  if (drafts === 0) return undefined
  if (isPricedByPictures(deployment)) return hasLeft ? { ...NO_USAGE, images: 1 } : undefined
  const wanted = Math.max(drafts, request.stream?.drafts ?? 0)
  const shown = Math.ceil((outputBound(request, deployment) * drafts) / (wanted + 1))
  return { ...promptUsage(request), output: shown + drafts * DRAFT_TOKENS }
}
