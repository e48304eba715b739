import { GatewayError } from "../../canon/errors.ts"
import type { Operations } from "../../vendors/vendor.ts"
import type { Candidate } from "../upstream/attempt.ts"

/** The operations' names in messages. */
const NAMES: Readonly<Record<keyof Operations, string>> = {
  embedding: "embeddings",
  rerank: "rerank",
  speech: "speech",
  transcription: "transcription",
  image: "images",
}

/** The format of an operation at the vendor of a deployment. @throws GatewayError `model_not_supported` */
export function formatOf<Name extends keyof Operations>(
  { client }: Candidate,
  name: Name,
): NonNullable<Operations[Name]> {
  const format = client.vendor.operations?.[name]
  if (format) return format
  throw new GatewayError(
    "model_not_supported",
    `Provider '${client.provider}' has no ${NAMES[name]} that this gateway supports.`,
    { parameter: "model" },
  )
}
