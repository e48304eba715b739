import type { SubjectName } from "../options.ts"
import { bare, pipe } from "./bare.ts"
import { busbar } from "./busbar.ts"
import { gomodel } from "./gomodel.ts"
import { litellm } from "./litellm.ts"
import { litellmRs } from "./litellm-rs.ts"
import { nginx } from "./nginx.ts"
import { portkey } from "./portkey.ts"
import type { Subject } from "./subject.ts"
import { tollgate } from "./tollgate.ts"

/** All subjects, in the order of the columns of the tables. A new peer is added as one line. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  bare,
  pipe,
  nginx,
  busbar,
  gomodel,
  "litellm-rs": litellmRs,
  portkey,
  litellm,
  tollgate,
}
