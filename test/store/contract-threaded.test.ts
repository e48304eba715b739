import { testContracts } from "./contract/contracts.ts"
import { THREADED_SQLITE } from "./engines.ts"

// The thread forwards every method in the same way, so some of the contracts are sufficient.
testContracts(THREADED_SQLITE, ["conversations", "reports", "settlements"])
