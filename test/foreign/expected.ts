/** A check that is expected to fail, because of a decision or for a reason outside the gateway. */
export interface ExpectedFailure {
  readonly client: RegExp
  readonly check: RegExp
  readonly reason: string
}

/** The expected failures. Each is reported as skipped with its reason, and as failed if the check passes. */
export const EXPECTED: readonly ExpectedFailure[] = [
  {
    client: /^llmprobe$/,
    check: / responses-streaming$/,
    reason: "a stream of responses ends with `response.completed`; `[DONE]` ends a chat's",
  },
  {
    client: /^llmprobe$/,
    check: / responses-previous-response-id$/,
    reason: "the sandbox repeats the last message, so that it shows no memory",
  },
  {
    client: /^llmprobe$/,
    check: /^sandbox\/gpt (chat|responses)-limits-max-tokens$/,
    reason:
      "the answer ends at the limit; usage says the 16 tokens that such a vendor writes and bills at least (decision 28)",
  },
  {
    client: /^llmprobe$/,
    check: /^sandbox\/(claude|nova) chat-logprobs$/,
    reason: "this vendor has no log probabilities; a loss that is reported",
  },
  {
    client: /^llmprobe$/,
    check: /^sandbox\/(claude|nova) (chat|responses)-json-mode$/,
    reason:
      "the vendor has no JSON mode without a schema: the model is told in words, which the sandbox does not follow; a loss that is reported",
  },
  {
    client: /^llmprobe$/,
    check: /^sandbox\/gemini responses-reasoning-effort-none$/,
    reason:
      "a Gemini of an unknown name is asked for its least thinking, since not every Gemini can do without; a loss that is reported",
  },
  {
    client: /^open-responses$/,
    check: / websocket-/,
    reason: "responses over a WebSocket are not offered; an upgrade is rejected",
  },
  {
    client: /^open-responses$/,
    check: / compact-response$/,
    reason: "compact answers an object with the text, unless `x-compact-format: openai` is sent",
  },
  {
    client: /^open-responses$/,
    check: / tool-calling$/,
    reason: "the sandbox calls a tool only when the text names it",
  },
  {
    client: /^openai-node$/,
    check:
      / chat\/completions\/completions (retrieve|update|list|delete)(: (only required|required and optional) params)?$/,
    reason: "chat completions are not kept to be read again",
  },
  {
    client: /^openai-node$/,
    check: / responses\/responses (retrieve|delete)$/,
    reason: "the test reads or deletes a response that nobody made",
  },
  {
    client: /^openai-node$/,
    check: / responses\/responses cancel$/,
    reason: "a response cannot be cancelled, since none is made in the background",
  },
  {
    client: /^(openai-node|anthropic-sdk-typescript)$/,
    check: / (beta\/)?models retrieve$/,
    reason: "the test names a model that the gateway does not have",
  },
  {
    client: /^openai-node$/,
    check: / models delete$/,
    reason: "a model cannot be deleted by its callers",
  },
  {
    client: /^openai-node$/,
    check: / responses\/responses compact: only required params$/,
    reason: "the test sends no `input`, which is required",
  },
  {
    client: /^openai-node$/,
    check: / responses\/responses compact: required and optional params$/,
    reason: "the test goes on from a response that nobody made",
  },
  {
    client: /^openai-node$/,
    check: / chat\/completions\/completions create: required and optional params$/,
    reason: "the test asks for 0 tokens, which is below the minimum",
  },
  {
    client: /^openai-node$/,
    check: / images edit: only required params$/,
    reason: "a mask is required",
  },
  {
    client: /^openai-node$/,
    check: / audio\/transcriptions create: required and optional params$/,
    reason: "the test asks for timestamps in a form that has no place for them",
  },
  {
    client: /^openai-python-tests$/,
    check: / chat\/test_completions\.py::\w+::test_\w+_list/,
    reason: "chat completions are not kept to be read again",
  },
  {
    client: /^openai-python-tests$/,
    check: / test_responses\.py::\w+::test_\w+_compact\[/,
    reason: "the test sends no `input`, which is required",
  },
  {
    client: /^openai-python-tests$/,
    check: / test_responses\.py::\w+::test_method_compact_with_all_params\[/,
    reason: "the test goes on from a response that nobody made",
  },
  {
    client: /^openai-python-tests$/,
    check: / (chat\/test_completions|test_responses)\.py::\w+::test_method_create_with_all_params_/,
    reason: "the test asks for 0 tokens, or 0 calls to tools, which is below the minimum",
  },
  {
    client: /^openai-python-tests$/,
    check: / test_images\.py::\w+::test_(method|raw_response|streaming_response)_edit_overload_/,
    reason: "a mask is required",
  },
  {
    client: /^openai-python-tests$/,
    check: / test_images\.py::\w+::test_method_(generate|edit)_with_all_params_overload_2\[/,
    reason: "the test asks for a stream of images by their address; a stream holds base64 alone",
  },
  {
    client: /^openai-python-tests$/,
    check: / audio\/test_transcriptions\.py::\w+::test_method_create_with_all_params_/,
    reason: "the test asks for timestamps in a form that has no place for them",
  },
  {
    client: /^openai-python-tests$/,
    check:
      / test_embeddings\.py::\w+::test_(method|raw_response|streaming_response)_create\[(strict|aiohttp)\]$/,
    reason: "the client asks for base64 and, when strict, rejects its text before it decodes it",
  },
  {
    client: /^anthropic-sdk-typescript$/,
    check: /^sandbox\/claude (beta\/)?messages\/messages create: required and optional params$/,
    reason: "the test goes on with a container or a message that nobody made",
  },
]
