/**
 * Writes docs/reference/losses.md from the tables in the code. The page lists which parts of a request reach a vendor
 * of each dialect. `npm run pages` writes the file; a test compares it with the expected text.
 */
import { join } from "node:path"
import type { ClientDialect, UpstreamDialect } from "../src/canon/dialect.ts"
import { type Feature, FEATURES, type Support } from "../src/canon/features.ts"
import { ANTHROPIC_MESSAGES } from "../src/dialects/anthropic-messages/index.ts"
import { BEDROCK_CONVERSE } from "../src/dialects/bedrock-converse/index.ts"
import { COHERE_CHAT } from "../src/dialects/cohere-chat/index.ts"
import { GEMINI } from "../src/dialects/gemini/index.ts"
import { OPENAI_CHAT } from "../src/dialects/openai-chat/index.ts"
import { OPENAI_RESPONSES } from "../src/dialects/openai-responses/index.ts"
import { reflow } from "./reflow.ts"

export const LOSSES_PAGE = join(import.meta.dir, "../docs/reference/losses.md")

const CLIENTS: readonly ClientDialect[] = [
  OPENAI_CHAT,
  ANTHROPIC_MESSAGES,
  OPENAI_RESPONSES,
  GEMINI,
]
const UPSTREAMS: readonly UpstreamDialect[] = [
  OPENAI_CHAT,
  OPENAI_RESPONSES,
  ANTHROPIC_MESSAGES,
  GEMINI,
  BEDROCK_CONVERSE,
  COHERE_CHAT,
]

const ENDPOINTS: Readonly<Record<string, string>> = {
  "openai-chat": "`POST /v1/chat/completions`",
  "anthropic-messages": "`POST /v1/messages`",
  "openai-responses": "`POST /v1/responses`",
  gemini: "`POST /v1beta/models/{model}:generateContent`",
}

const MARKS: Readonly<Record<Support, string>> = {
  carried: "yes",
  approximated: "approximated",
  dropped: "**dropped**",
}

const HEAD = `# Losses

<!-- Written by scripts/losses-page.ts from the tables in the code. Do not edit. -->

If caller and provider use different formats, the request is translated. Fields that the provider's format cannot express are
dropped or approximated. The header \`x-tollgate-losses\` names them, as \`name:dropped\` or \`name:approximated\`. With \`x-tollgate-strict: true\` such a request gets a 400 instead, before the gateway holds credits or calls a provider. If a model has several deployments, those without losses are tried first.

- **Columns** are formats, as their makers support them. If another provider supports less, the same header reports these losses too.
- **Same format**: a request in the provider's own format is sent unchanged. Other providers with that format get
  it unchanged too, unless their model is known to reject it.
- **Names of tools and ids of calls** that a provider does not accept are replaced, always by the same ones. The response has the caller's names and ids, so no loss is reported.
- **Extensions**: fields of the caller's format that are not in the table reach only providers with that format. Elsewhere
  they are dropped under their own names; \`other_fields\` stands for fields with unusual names and fields after the first 50.
- **Sources** of a response are kept in every format. A source without a URL has only its title in chat completions, and is dropped in the responses format.

## Rules of individual models

[Model rules](model-rules.md) restrict the requests of a model. A request that violates a rule is changed:

| reported as | change |
| --- | --- |
| \`json_schema:emulated\` | a schema that does not describe an object was wrapped in an object; the response is unwrapped |
| \`json_schema:approximated\` | the schema became an instruction or a tool, is not strict, or has constraints in its descriptions |
| \`json_object:approximated\` | the format became an instruction |
| \`tools.strict\` | approximated: constraints are in descriptions; dropped: the tool is not strict |
| \`tools:dropped\` | more tools than the model accepts; or a tool without a price was left out ([priced features](priced-features.md)) |
| \`tool_choice:approximated\` | the provider cannot require a call |
| \`messages:approximated\` | a short turn was added, or turns of one speaker were joined |
| \`system.position:approximated\` | instructions were moved to the start |
| \`image:dropped\` | the oldest images were left out |
| \`cache_control:approximated\` | the first marks above the maximum were left out |
| \`user:approximated\` | the id was replaced by its hash |
`

/** Returns the text of the page. */
export function lossesPage(): string {
  return reflow(`${HEAD}\n${CLIENTS.map(section).join("\n")}`)
}

function section(client: ClientDialect): string {
  const head = ["requested", ...UPSTREAMS.map(({ id }) => id)]
  const rows = (Object.keys(FEATURES) as Feature[])
    .filter((feature) => client.expresses.has(feature))
    .map((feature) => [
      `\`${feature}\`: ${FEATURES[feature]}`,
      ...UPSTREAMS.map((upstream) =>
        upstream.id === client.id ? "yes" : MARKS[upstream.supports[feature]],
      ),
    ])
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
  return `## From ${ENDPOINTS[client.id]}\n\n${lines.join("\n")}\n`
}

if (import.meta.main) await Bun.write(LOSSES_PAGE, lossesPage())
