import { anthropicMessages } from "../dialects/anthropic-messages/index.ts"
import {
  OPENAI_EMBEDDING_QUIRKS,
  openAiEmbedding,
  type OpenAiEmbeddingQuirks,
} from "../dialects/embedding/formats/openai.ts"
import { OPENAI_CHAT, openAiChat } from "../dialects/openai-chat/index.ts"
import { OPENAI_QUIRKS, type OpenAiChatQuirks } from "../dialects/openai-chat/quirks/index.ts"
import { openAiResponses } from "../dialects/openai-responses/index.ts"
import { jinaRerank } from "../dialects/rerank/formats/jina.ts"
import type { ProviderSettings } from "../config/settings.ts"
import type { CompatibleRow } from "./compatible-row.ts"
import { ANTHROPIC_VERSION, binding } from "./bindings.ts"
import { OPEN_OPERATIONS } from "./compatible-operations.ts"
import { bearerSigner } from "./static-signer.ts"
import type { ChatBinding, Operations, Vendor } from "./vendor.ts"

/**
 * Quirks that most compatible vendors share. These vendors support the older field names and silently ignore the newer
 * `max_completion_tokens`, which would leave a response without a limit. Servers at unknown addresses may also ignore
 * `n` and `stop`.
 */
const COMMON: OpenAiChatQuirks = {
  ...OPENAI_QUIRKS,
  maxTokensField: "max_tokens",
  maxTokensFieldOnly: true,
  developerRole: "system",
  customTools: false,
  maxChoices: 1,
  cutsStops: false,
}

/**
 * Common quirks of embeddings at compatible vendors. Tokens are only sent as input if the vendor is known to support
 * them. Official clients request base64 from all vendors (docs/contribute/wire/embeddings.md#f2), but some vendors
 * ignore that request.
 */
const COMMON_EMBEDDING: OpenAiEmbeddingQuirks = { ...OPENAI_EMBEDDING_QUIRKS, tokens: false }

/**
 * Dialects that servers of operators may support in addition to chat completions. Their models are open models, which
 * return their reasoning as plain text. They have neither Claude's limits nor its structured output.
 */
const OWN_SERVER_BINDINGS: readonly ChatBinding[] = [
  binding(
    openAiResponses({ encryptedReasoning: false, reasoningText: true, penalties: true }),
    "/responses",
  ),
  binding(
    anthropicMessages({
      maxTemperature: 2,
      temperatureWithTopP: true,
      structuredOutput: false,
      cutsStops: false,
    }),
    "/messages",
    ANTHROPIC_VERSION,
  ),
]

/** Creates the vendor that a row describes. */
export function compatibleVendor(row: CompatibleRow): Vendor {
  const { id, name, keyVariables, accountVariables } = row
  const baseUrl = accountVariables === undefined ? row.baseUrl : undefined
  return {
    id,
    name,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    keyVariables,
    ...(accountVariables && {
      settings: ["api_key", "account"],
      needs: [["account"], ["base_url"]],
      variableSets: [
        { needed: { api_key: keyVariables, account: accountVariables }, isShared: true },
      ],
    }),
    chat: bindingsOf(row),
    operations: operationsOf(row),
    ...(row.isSelfHosted && {
      isSelfHosted: true,
      optionalDialects: OWN_SERVER_BINDINGS.map(({ dialect }) => dialect.id),
    }),
    ...(row.statesCost && { statesCost: true }),
    baseUrlOf: (provider) => addressOf(row, provider),
    signer: ({ apiKey }) => bearerSigner(apiKey),
    probe: (provider) => ({ url: `${addressOf(row, provider) ?? ""}/models` }),
  }
}

function addressOf(row: CompatibleRow, { baseUrl, account }: ProviderSettings): string | undefined {
  if (baseUrl !== undefined) return baseUrl
  if (row.accountVariables === undefined) return row.baseUrl
  return account === undefined ? undefined : row.baseUrl?.replace("{account}", account)
}

function bindingsOf(row: CompatibleRow): ChatBinding[] {
  const chat = binding(openAiChat({ ...COMMON, ...row.quirks }), "/chat/completions")
  if (row.isSelfHosted) return [chat, ...OWN_SERVER_BINDINGS]
  if (!row.responses) return [chat]
  const responses = binding(openAiResponses({ customTools: false, ...row.responses }), "/responses")
  return [chat, row.webSearch ? { ...responses, webSearch: true } : responses]
}

function operationsOf(row: CompatibleRow): Operations {
  const { embedding, rerank } = row
  const { decodeError } = OPENAI_CHAT
  return {
    ...(row.operations ?? (row.isSelfHosted ? OPEN_OPERATIONS : {})),
    ...(embedding === "none"
      ? {}
      : { embedding: openAiEmbedding(decodeError, { ...COMMON_EMBEDDING, ...embedding }) }),
    ...(rerank === undefined ? {} : { rerank: jinaRerank(decodeError, rerank) }),
  }
}
