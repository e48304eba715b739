import { section, setting } from "../declare.ts"
import { writeDuration } from "../duration.ts"
import { duration, flag, oneOf, wholeNumber } from "../scalars.ts"

/**
 * The rule for choosing a model's first deployment: randomly by weight, in the order of the settings, by price, by
 * response time, or by the number of active requests.
 */
export const STRATEGIES = ["weight", "order", "price", "latency", "least_busy"] as const

export type Strategy = (typeof STRATEGIES)[number]

/**
 * Handling of a response whose caller has disconnected. With `cancel`, the gateway closes the connection to the
 * provider and charges the known usage. With `drain`, it continues reading until the provider reports the usage, and
 * charges this usage. With `auto`, it drains responses that the provider bills anyway.
 */
export const DISCONNECTS = ["auto", "cancel", "drain"] as const

export type Disconnect = (typeof DISCONNECTS)[number]

/** Timeouts for upstream responses, in milliseconds. */
export const TIMEOUTS = section("timeouts", {
  connect: setting(duration(), {
    default: "5s",
    documentation: "maximum time for connecting to an upstream",
    console: {
      label: "Time to connect",
      help: "How long a provider may take to accept a connection. Such as 500ms, 10s, 5m or 1h.",
      write: writeDuration,
    },
  }),
  firstByte: setting(duration(), {
    default: "10m",
    documentation: "maximum time until a response starts",
    console: {
      label: "Time to the first byte",
      help: "How long a provider may take to start its response. Such as 500ms, 10s, 5m or 1h.",
      write: writeDuration,
    },
  }),
  idle: setting(duration(), {
    default: "2m",
    documentation: "how long a response that has started may be silent",
    console: {
      label: "Time between bytes",
      help: "How long a response that has started may be silent. Such as 500ms, 10s, 5m or 1h.",
      write: writeDuration,
    },
  }),
  total: setting(duration(), {
    default: "30m",
    documentation: "maximum time for a whole request",
    console: {
      label: "Time for a whole request",
      help: "How long a request may take in total. Such as 500ms, 10s, 5m or 1h.",
      write: writeDuration,
    },
  }),
})

export type TimeoutSettings = ReturnType<typeof TIMEOUTS.build>

/** Distribution of requests among deployments. */
export const ROUTING = section("routing", {
  strategy: setting(oneOf(STRATEGIES, "strategy"), {
    default: "weight",
    documentation:
      "which of a model's deployments is tried first: `weight`, `order`, `price`, `latency` or `least_busy`; can be set per model, as `strategy` ([routing](../run/routing.md))",
  }),
  affinity: setting(flag(), {
    default: "true",
    documentation:
      "whether requests that may hit a provider's prompt cache go to the deployment that served the earlier request",
  }),
  retries: setting(wholeNumber(0, 3), {
    default: "1",
    documentation: "how often an attempt is repeated if no other deployment is healthy, 0 to 3",
  }),
  hedge: setting(flag(), {
    default: "false",
    documentation:
      "whether a second deployment is also called if the first is late; can be set per model, as `hedge` ([when a deployment is late](../run/routing.md#when-a-deployment-is-late))",
  }),
})

export type RoutingSettings = ReturnType<typeof ROUTING.build>

/** Handling of responses whose caller has disconnected. */
export const DISCONNECT = {
  disconnect: setting(oneOf(DISCONNECTS, "way to end"), {
    default: "auto",
    documentation:
      "handling of a response whose caller has disconnected. `cancel` closes the connection to the provider and charges the input and the received output. `drain` reads until the provider reports its usage, and charges it. `auto` drains responses that the provider may bill in full anyway, and cancels the others. Can be set per model, under `models`. A request with an `Idempotency-Key` is always read to its end ([decision 16](../contribute/decisions/0016-delivered.md))",
  }),
  /** Maximum duration of draining in milliseconds. */
  disconnectLimit: setting(duration(), {
    default: "5m",
    documentation: "maximum time for draining a response, also after a stop sequence",
  }),
}
