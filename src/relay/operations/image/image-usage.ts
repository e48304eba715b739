import type { CountedUsage } from "../../billing/priced-usage.ts"
import {
  type ImageCall,
  type ImageRequest,
  type ImageResult,
  sizeName,
  wantedSize,
} from "../../../canon/image.ts"
import { addUsage, NO_USAGE, totalInput, totalOutput, type Usage } from "../../../canon/usage.ts"
import type { Deployment, Model } from "../../../catalog/model.ts"
import { priceOfImages } from "../../../ledger/image-price.ts"
import {
  imageInputBound,
  imageTokenBound,
  promptBound,
} from "../../../media/generated-image-tokens.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"
import { maxTextTokens } from "../../../canon/text-bytes.ts"

/**
 * Output tokens of a draft, in addition to the tokens of the image (OpenAI's image generation guide, "Partial images
 * cost").
 */
const DRAFT_TOKENS = 100

function qualityOf({ options }: ImageRequest): string | undefined {
  const { quality } = options
  return typeof quality === "string" ? quality.trim().toLowerCase() : undefined
}

/** Returns the request as it is sent to a deployment's vendor, with the size and quality that determine its price. */
export type SentTo = (deployment: Deployment) => ImageRequest

/** Returns the model with the prices for the size and quality of the images that each deployment generates. */
export function pricedFor(sentTo: SentTo, model: Model): Model {
  const deployments = model.deployments.map((deployment) => {
    if (!deployment.price) return deployment
    const sent = sentTo(deployment)
    const size = wantedSize(sent)
    const quality = qualityOf(sent)
    const kind = { ...(size && { size: sizeName(size) }), ...(quality && { quality }) }
    return { ...deployment, price: priceOfImages(deployment.price, kind) }
  })
  return { ...model, deployments }
}

/** Returns the maximum usage of a request: images, and tokens if the model has a price per token. */
export function worstUsage(request: ImageRequest, sentTo: SentTo, model: Model): Usage {
  const images = { ...NO_USAGE, images: request.count }
  if (!model.deployments.some(isPricedByTokens)) return images
  const inputImages = request.images.length + (request.mask === undefined ? 0 : 1)
  const bytes = maxTextTokens(request.prompt)
  const bounds = model.deployments.map((deployment) => outputBound(sentTo(deployment), deployment))
  const drafts = (request.stream?.drafts ?? 0) * DRAFT_TOKENS
  return {
    ...images,
    inputFresh: promptBound(bytes) * request.count,
    imageInput: imageInputBound(inputImages) * request.count,
    imageOutput: (Math.max(...bounds) + drafts) * request.count,
  }
}

function isPricedByTokens({ price }: Deployment): boolean {
  const { output, inputFresh, imageInput, imageOutput } = price?.rates ?? {}
  return [output, inputFresh, imageInput, imageOutput].some((rate) => rate !== undefined)
}

function outputBound(request: ImageRequest, { upstreamModel }: Deployment): number {
  return imageTokenBound(upstreamModel, wantedSize(request), qualityOf(request))
}

/**
 * Returns the vendor's tokens and the number of images for each call. If a model only has a price per token, the
 * gateway counts input or output that the vendor does not report, or reports as zero. Output is then counted at its
 * maximum.
 */
export function imagesUsage(
  { calls, ...response }: ImageCall & Pick<ImageResult, "calls">,
  deployment: Deployment,
  request: ImageRequest,
): CountedUsage {
  if (calls === undefined) return usageOfCall(response, deployment, request)
  const counted = calls.map((call) => usageOfCall(call, deployment, request))
  return {
    usage: { ...counted.map(({ usage }) => usage).reduce(addUsage), images: response.images },
    estimated: counted.some(({ estimated }) => estimated),
  }
}

function usageOfCall(
  { images, usage: reported = NO_USAGE }: ImageCall,
  deployment: Deployment,
  request: ImageRequest,
): CountedUsage {
  const usage = { ...reported, images }
  if (isPricedByImages(deployment)) return { usage, estimated: false }
  const lacksInput = totalInput(reported) === 0
  const lacksOutput = totalOutput(reported) <= reported.reasoning
  const drafts = (request.stream?.drafts ?? 0) * DRAFT_TOKENS
  return {
    usage: {
      ...usage,
      ...(lacksInput && { inputFresh: promptTokens(request) }),
      ...(lacksOutput && { imageOutput: (outputBound(request, deployment) + drafts) * images }),
    },
    estimated: lacksInput || lacksOutput,
  }
}

function isPricedByImages({ price }: Deployment): boolean {
  return price?.rates.images !== undefined
}

function promptTokens({ prompt }: ImageRequest): number {
  return roughTokens(Buffer.byteLength(prompt))
}

/**
 * Returns the usage of a stream that ended before its image, by the gateway's own count; undefined if nothing was
 * delivered. Each delivered draft is counted as its share of the image's tokens. For models with a price per image, an
 * image that the vendor never sent is free. However, a caller that disconnects after a draft pays for the image,
 * because the vendor was asked to generate it.
 */
export function draftsUsage(
  drafts: number,
  request: ImageRequest,
  deployment: Deployment,
  hasLeft: boolean,
): Usage | undefined {
  if (drafts === 0) return undefined
  if (isPricedByImages(deployment)) return hasLeft ? { ...NO_USAGE, images: 1 } : undefined
  const wanted = Math.max(drafts, request.stream?.drafts ?? 0)
  const shown = Math.ceil((outputBound(request, deployment) * drafts) / (wanted + 1))
  const imageOutput = shown + drafts * DRAFT_TOKENS
  return { ...NO_USAGE, inputFresh: promptTokens(request), imageOutput }
}
