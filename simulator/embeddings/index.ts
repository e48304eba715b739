import type { Handler, WireFormat } from "../format.ts"
import { answerInvoke } from "./bedrock.ts"
import { answerEmbed } from "./cohere.ts"
import { answerBatch, answerPredict } from "./google.ts"
import { answerEmbeddings } from "./openai.ts"

const INVOKE = /^\/model\/([^/]*embed[^/]*)\/invoke$/
const BATCH = /^\/v1beta\/models\/[^/:]+:batchEmbedContents$/
const PREDICT =
  /^\/v1(beta1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/[^/:]*embedding[^/:]*:predict$/

/** Simulates embeddings in the format of each vendor. */
export const embeddings: WireFormat = {
  name: "embeddings",
  match(method, path): Handler | undefined {
    if (method !== "POST") return undefined
    if (path === "/v1/embeddings") return answerEmbeddings
    if (path === "/v2/embed") return answerEmbed
    if (BATCH.test(path)) return answerBatch
    if (PREDICT.test(path)) return answerPredict
    const model = INVOKE.exec(path)?.[1]
    if (model === undefined) return undefined
    return (exchange) => answerInvoke(exchange, decodeURIComponent(model))
  },
}
