/**
 * Writes docs/losses.md from the tables in the code: which parts of a request reach a vendor of each dialect.
 * `npm run pages` writes the file; a test compares it with the expected text.
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

const HEAD = `# What reaches which vendor

<!-- Written by scripts/losses-page.ts from the tables in the code. Do not edit. -->

A caller speaks one dialect, a vendor another. What the vendor's dialect cannot express is dropped or
approximated, and every answer says so in \`x-tollgate-losses\`, as \`name:dropped\` or \`name:approximated\`.
With the header \`x-tollgate-strict: true\` such a request is refused with 400 instead, before anything is
called or charged; where a model has several deployments, one that loses nothing is tried first.

The columns are the dialects as their makers support them; another vendor may support less of a dialect, which
the same header reports. When the caller speaks the dialect of the vendor that made it, the request is sent as it was
written, and nothing is lost, whether Tollgate knows it or not. Other vendors of that dialect get it as it was written,
too, unless their model is known to reject it.

What a model is known to accept is in its rules ([model rules](model-rules.md)). A request that breaks one is changed, and
reported like this:

| reported as | what was done |
| --- | --- |
| \`json_schema:emulated\` | a schema of something other than an object was wrapped in one; the answer is unwrapped |
| \`json_schema:approximated\` | the schema became an instruction or a tool, is not strict, or has constraints in its descriptions |
| \`json_object:approximated\` | the format became an instruction |
| \`tools.strict\` | approximated: constraints are in descriptions; dropped: the tool is not strict |
| \`tools:dropped\` | more tools than the model accepts; or a tool without a price was left out ([priced features](priced-features.md)) |
| \`tool_choice:approximated\` | the vendor cannot require a call |
| \`messages:approximated\` | a short turn was added, or turns of one speaker were joined |
| \`system.position:approximated\` | instructions were moved to the start |
| \`image:dropped\` | the oldest images were left out |
| \`cache_control:approximated\` | the first of too many marks were left out |
| \`user:approximated\` | the name was replaced by its hash |

Names of tools and ids of calls that a vendor does not accept are replaced by others, always the same ones. The answer
has the caller's own names, so nothing is reported.

Fields of a caller's dialect that are not in the table (a vendor's own extensions) reach vendors of that
dialect only; elsewhere they are dropped, under their own names. Those after the first 50, and those with a name that
is no plain one, are \`other_fields\` together.

Answers keep their sources in every dialect: as annotations, as citations, or as grounding, with the search that found
them. A source without an address, such as a document of the request, has only its title in chat completions, and is
left out of responses, which have no annotation for it. A citation without any source is not written.
`

/** Returns the text of the page. */
export function lossesPage(): string {
  return reflow(`${HEAD}\n${CLIENTS.map(section).join("\n")}`)
}

function section(client: ClientDialect): string {
  const head = ["asked for", ...UPSTREAMS.map(({ id }) => id)]
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
