import {
  assistant,
  LONG_NAME,
  many,
  object,
  user,
  type RejectedRequest,
} from "./rejected-request.ts"

const CLAUDE: RejectedRequest["at"] = [["anthropic", "claude-opus-4-8"]]
const GEMINI: RejectedRequest["at"] = [
  ["google", "gemini-3.6-flash"],
  ["vertex", "gemini-3.6-flash"],
]

/** Requests that Anthropic, Amazon and Google reject. */
export const MAKER_REJECTIONS: readonly RejectedRequest[] = [
  {
    rule: "max_user_length",
    at: CLAUDE,
    asked: { user: "u".repeat(300) },
    lifted: { max_user_length: 10_000 },
    rejection: /at most 256 characters/,
    loss: "user:approximated",
  },
  {
    rule: "max_images",
    at: CLAUDE,
    asked: { turns: [user("What is it?", { images: 101 })] },
    lifted: { max_images: 10_000 },
    rejection: /Too many images/,
    loss: "image:dropped",
  },
  {
    rule: "max_cache_marks",
    at: [...CLAUDE, ["bedrock", "us.anthropic.claude-opus-4-7-v1:0"]],
    asked: {
      turns: ["1", "2", "3", "4", "5"].flatMap((text, index) => [
        ...(index === 0 ? [] : [assistant("Yes.")]),
        user(text, { isMarked: true }),
      ]),
    },
    lifted: { max_cache_marks: 10_000 },
    rejection: /A maximum of 4 blocks with cache_control/,
    loss: "cache_control:approximated",
  },
  {
    rule: "max_tool_name_length",
    at: GEMINI,
    asked: { tools: [{ name: LONG_NAME }] },
    lifted: { max_tool_name_length: 10_000, tool_name_characters: ["-"] },
    rejection: /maximum length of 64/,
    loss: null,
  },
  {
    rule: "max_tool_name_length",
    at: CLAUDE,
    asked: { tools: [{ name: `${LONG_NAME}${LONG_NAME}` }] },
    lifted: { max_tool_name_length: 10_000 },
    rejection: /should match pattern/,
    loss: null,
  },
  {
    rule: "tool_name_characters",
    at: CLAUDE,
    asked: { tools: [{ name: "server.tool:read" }] },
    lifted: { tool_name_characters: ["-", ".", ":", "/"] },
    rejection: /should match pattern/,
    loss: null,
  },
  {
    rule: "tool_name_starts_with_letter",
    at: GEMINI,
    asked: { tools: [{ name: "1password_read" }] },
    lifted: { tool_name_starts_with_letter: false },
    rejection: /Must start with a letter or an underscore/,
    loss: null,
  },
  {
    rule: "rejected_parameters",
    name: "log probabilities",
    at: [...GEMINI, ["google", "gemini-2.5-flash"]],
    asked: { logprobs: true },
    lifted: { rejected_parameters: [] },
    rejection: /Logprobs is not/,
    loss: "logprobs:dropped",
  },
  {
    rule: "answer_formats",
    at: [
      ["anthropic", "claude-sonnet-4-20250514"],
      ["anthropic", "claude-3-5-haiku-20241022"],
    ],
    asked: { schema: object({ a: { type: "string" } }) },
    lifted: { answer_formats: ["json_schema"] },
    rejection: /does not support structured outputs/,
    loss: "json_schema:approximated",
    // The encoder of these formats already adapts requests for these models.
    unaffected: ["chat", "responses", "gemini"],
  },
  {
    rule: "schema_described_keywords",
    at: CLAUDE,
    asked: { schema: object({ n: { type: "integer", minimum: 1, maximum: 5 } }) },
    lifted: { schema_described_keywords: [] },
    rejection: /property 'minimum' is not supported/,
    loss: "json_schema:approximated",
  },
  {
    rule: "schema_rejected_keywords",
    at: CLAUDE,
    asked: { schema: object({ n: { not: { type: "string" } } }) },
    lifted: { schema_rejected_keywords: [] },
    rejection: /'not'/,
    loss: "json_schema:approximated",
  },
  {
    rule: "schema_closed_objects",
    at: CLAUDE,
    asked: { schema: { ...object({ a: { type: "string" } }), additionalProperties: true } },
    lifted: { schema_closed_objects: false },
    rejection: /'additionalProperties' must be explicitly set to false/,
    loss: "json_schema:approximated",
  },
  {
    rule: "schema_recursion",
    at: CLAUDE,
    asked: {
      schema: {
        ...object({ tree: { $ref: "#/$defs/node" } }),
        $defs: { node: object({ next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }) },
      },
    },
    lifted: { schema_recursion: true },
    rejection: /Circular reference/,
    loss: "json_schema:approximated",
  },
  {
    rule: "max_strict_tools",
    at: CLAUDE,
    asked: { tools: many(21, true) },
    lifted: { max_strict_tools: 10_000 },
    rejection: /Too many strict tools/,
    loss: "tools.strict:dropped",
  },
  {
    rule: "modalities",
    at: [
      ["google", "gemini-2.5-flash-preview-tts"],
      ["vertex", "gemini-2.5-flash-preview-tts"],
    ],
    asked: {},
    lifted: { modalities: ["text"] },
    rejection: /combination of response modalities/,
    loss: null,
    formats: ["chat", "responses", "gemini"],
  },
]
