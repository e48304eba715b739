import { testContracts } from "./contract/contracts.ts"
import { POSTGRES } from "./engines.ts"

testContracts(POSTGRES)
