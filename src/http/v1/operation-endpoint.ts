import type { ServicePath } from "#contract/service-routes.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { MediaInspector } from "../../media/media-inspector.ts"
import type { OperationPlan } from "../../relay/operations/operation-plan.ts"
import type { Performers } from "../../relay/operations/performers.ts"
import type { Call } from "../../relay/request/call.ts"
import type { Route } from "../server.ts"
import type { Calls } from "./calls.ts"
import type { GooglePath } from "./google-address.ts"

/** The rules for image edits, from the specification or the provider. */
export interface EditRules {
  readonly needsMask: boolean
  /** Whether the model decides on masks, shapes, formats and sizes. */
  readonly isByProvider: boolean
}

/** Services that the endpoints of operations use. */
export interface OperationParts {
  readonly performers: Performers
  readonly inspector: MediaInspector
  /** Returns the public address, if the operator has configured it. */
  readonly publicUrl: () => string | undefined
  readonly editRules: () => EditRules
  /** Returns the gateway's listening address. */
  readonly ownUrl: () => string
}

/** A request to be estimated, in the format that its endpoint receives. */
export interface EstimatedCall {
  readonly call: Call
  /** The path of the request's endpoint. */
  readonly path: string
  readonly body: JsonObject
}

/** An endpoint of an operation other than chat. */
export interface OperationEndpoint {
  readonly path: ServicePath | GooglePath
  /** Builds the route of the endpoint. */
  readonly serve: (calls: Calls, parts: OperationParts) => Route
  /**
   * Returns the plans from which the request is estimated.
   * @throws GatewayError
   */
  readonly plan: (
    estimated: EstimatedCall,
    parts: Pick<OperationParts, "performers" | "editRules">,
  ) => MaybePromise<readonly OperationPlan[]>
}
