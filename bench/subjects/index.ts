import type { SubjectName } from "../options.ts"
import { bare, pipe } from "./bare.ts"
import { nginx } from "./nginx.ts"
import { portkey } from "./portkey.ts"
import type { Subject } from "./subject.ts"
import { tollgate } from "./tollgate.ts"

/** All subjects, in the order of the table's columns. A new peer is one line here. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  bare,
  pipe,
  nginx,
  portkey,
  tollgate,
}
