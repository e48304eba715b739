import { testContracts } from "./contract/contracts.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import { THREADED_SQLITE } from "./engines.ts"

// The thread forwards every method in the same way, so some of the contracts are sufficient.
testContracts(
  THREADED_SQLITE,
  IS_EXHAUSTIVE ? ["conversations", "reports", "settlements"] : ["conversations", "settlements"],
)
