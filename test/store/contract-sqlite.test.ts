import { testContracts } from "./contract/contracts.ts"
import { SQLITE } from "./engines.ts"

testContracts(SQLITE)
