import type { ImageResult, ImageForm } from "../../canon/image.ts"
import type { JsonObject } from "../../canon/json.ts"
import { totalInput, totalOutput } from "../../canon/usage.ts"

/** An image as the caller receives it: a link, or base64. */
export interface ReturnedImage {
  readonly form: ImageForm
  readonly value: string
  readonly revisedPrompt?: string
}

/**
 * Encodes a response with images in OpenAI's format (docs/use/endpoints.md#images).
 * @param created Unix seconds.
 */
export function encodeImageResult(
  result: ImageResult,
  images: readonly ReturnedImage[],
  created: number,
): JsonObject {
  return {
    created,
    data: images.map(({ form, value, revisedPrompt }) => ({
      [form]: value,
      ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    })),
    ...result.facts,
    ...(result.usage && { usage: encodeUsage(result) }),
  }
}

/** Returns tokens as OpenAI reports them; empty if no tokens were counted. */
export function encodeUsage({
  usage,
  usageDetails,
}: Pick<ImageResult, "usage" | "usageDetails">): JsonObject {
  if (usage === undefined) return {}
  const input = totalInput(usage)
  const output = totalOutput(usage)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...usageDetails,
  }
}
