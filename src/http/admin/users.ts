import { userRoutes } from "#contract/members.ts"
import type { Erasure } from "../../management/erasure.ts"
import type { UserDirectory } from "../../management/user-directory.ts"
import { exportText } from "../../management/person-export.ts"
import { documentAnswer } from "./download-answer.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/users`: all users of the console. */
export function userEndpoints({
  directory,
  erasure,
}: {
  readonly directory: UserDirectory
  readonly erasure: Erasure
}): AdminEndpoint[] {
  return endpoints(userRoutes, {
    "GET /users": ({ actor, query }) => directory.list(actor, query),
    "PATCH /users/{id}": ({ actor, path, body }) => directory.change(actor, path("id"), body),
    "GET /users/{id}/export": async ({ actor, path }) =>
      documentAnswer(exportText(await directory.export(actor, path("id")))),
    "POST /users/erase": ({ actor, body }) => erasure.eraseAddress(actor, body.email),
    "POST /users/{id}/erase": ({ actor, path }) => erasure.erase(actor, path("id")),
    "POST /users/{id}/reset": ({ actor, path, body }) =>
      directory.reset(actor, path("id"), body.two_factor),
  })
}
