import { section, setting } from "../declare.ts"
import { flag, megabytes, writeMegabytes } from "../scalars.ts"

/** Limits of requests and responses, in bytes. */
export const LIMITS = section("limits", {
  /** Maximum size of a JSON body. */
  bodyBytes: setting(megabytes(1, 512), {
    name: "body_mb",
    default: "32",
    documentation: "the largest request body",
    console: {
      label: "Largest request, MB",
      help: "The largest JSON body that is accepted, from 1 to 512.",
      write: writeMegabytes,
    },
  }),
  /** Maximum decompressed size of a buffered upstream response. */
  responseBytes: setting(megabytes(1, 1024), {
    name: "response_mb",
    default: "128",
    documentation: "the largest response of a provider that is read whole, after decompression",
    console: {
      label: "Largest response, MB",
      help: "The largest provider response that is read as a whole, from 1 to 1024. Streams are not limited.",
      write: writeMegabytes,
    },
  }),
  /** Maximum memory of all requests in all processes. */
  memoryBytes: setting(megabytes(64, 1_048_576), {
    name: "memory_mb",
    environment: "TOLLGATE_MEMORY_MB",
    otherwise: "a quarter of the machine's, at least 256",
    documentation:
      "the memory that all requests together may use; when it is used up, new requests get 503 and `retry-after` ([decision 20](../contribute/decisions/0020-memory-budget.md))",
    console: {
      label: "Memory for requests, MB",
      help: "Memory that all requests together may use, at least 64. By default, a quarter of the machine's memory, and at least 256.",
      write: writeMegabytes,
    },
  }),
  /** Maximum size of an image or file fetched from an address in a request. */
  mediaBytes: setting(megabytes(1, 512), {
    name: "media_mb",
    default: "20",
    documentation: "the largest image or file that is fetched for a caller",
    console: {
      label: "Largest fetched file, MB",
      help: "The largest image or file that is fetched from an address in a request, from 1 to 512.",
      write: writeMegabytes,
    },
  }),
  /** Whether these addresses may be in a private network. */
  mediaPrivate: setting(flag(), {
    default: "false",
    documentation: "whether images and files may be fetched from private addresses",
  }),
})
