/**
 * Kind of a provider error. It determines whether the caller sees the error, whether the account, credential or
 * deployment cools down (is avoided for a while), and whether the operator is notified.
 */
export type ProviderErrorKind =
  /**
   * The operator's account is suspended, unpaid, over its budget or in an unsupported region. The account cools down.
   */
  | "account"
  /** The operator's credential is invalid or expired. The credential cools down. */
  | "credential"
  /** The operator's account may not use this model. The deployment cools down. */
  | "permission"
  /** The operator's account may use the model, but not stream it. */
  | "streaming"
  /** The operator's account may not make a request of this size or with one of its features. Nothing cools down. */
  | "allowance"
  /** The model failed to generate a response. Nothing cools down, because other requests may succeed. */
  | "generation"
  /** An error about the account, its permissions or the request that no rule recognizes. It counts as a failure. */
  | "forbidden"
  /** The provider does not offer this model, or no longer offers it. The deployment cools down. */
  | "model"
  | "capacity"
  | "timeout"
  /** The provider or the connection to it failed. */
  | "failure"
  /**
   * This kind and the next two are errors in the request. The caller sees these errors, and no other deployment is
   * tried.
   */
  | "context_length"
  | "content_filter"
  | "request"

/**
 * The kind for each status if no rule matches the error. Only the first four statuses are documented as errors in the
 * request. The others describe the connection to the provider, or the account.
 */
export const KIND_OF_STATUS: ReadonlyMap<number, ProviderErrorKind> = new Map([
  [400, "request"],
  [413, "request"],
  [415, "request"],
  [422, "request"],
  [401, "credential"],
  [402, "account"],
  [403, "forbidden"],
  [408, "timeout"],
  [410, "model"],
  [429, "capacity"],
  // Groq sends 498 if the flex tier has no capacity.
  [498, "capacity"],
  [503, "capacity"],
  [504, "timeout"],
  [529, "capacity"],
])

/**
 * Codes of failed responses that concern an image of the request (OpenAI's OpenAPI description, `ResponseErrorCode`).
 */
const OPENAI_IMAGE_CODES = [
  "invalid_image",
  "invalid_image_format",
  "invalid_base64_image",
  "invalid_image_url",
  "image_too_large",
  "image_too_small",
  "image_parse_error",
  "invalid_image_mode",
  "image_file_too_large",
  "unsupported_image_media_type",
  "empty_image_file",
  "failed_to_download_image",
  "image_file_not_found",
]

/**
 * Maps error codes and types to statuses, for errors without a status: in a stream, or in the body of a 200 response.
 */
export const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map<string, number>([
  ["invalid_request_error", 400],
  ["invalid_prompt", 400],
  ...OPENAI_IMAGE_CODES.map((code) => [code, 400] as const),
  ["image_generation_user_error", 400],
  ["invalid_argument", 400],
  ["failed_precondition", 400],
  ["out_of_range", 400],
  ["validationexception", 400],
  ["request_too_large", 413],
  ["unauthenticated", 401],
  ["permission_error", 403],
  ["permission_denied", 403],
  ["accessdeniedexception", 403],
  ["not_found_error", 404],
  ["not_found", 404],
])
