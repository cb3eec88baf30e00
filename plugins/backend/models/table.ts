/** A model that has a short name. */
export interface Listed {
  name: string
  /** The repository on the hub. */
  repo: string
  file: string
  size: number
  sha256: string
  license: string
  /** How many bytes of memory a machine should have for it, including a context of 32768 tokens. */
  memory: number
  about: string
}

const GB = 1e9

// Instruct models for code under permissive licences, each in one file with 4 bits per weight, the smallest first. Sizes and
// checksums are those of the hub's files, and every download is checked against them; for each, at least three other public
// projects pin the same values. The memory is an estimate. (Qwen2.5-Coder 3B is missing because it has a research licence.)
export const MODELS: readonly Listed[] = [
  {
    name: 'qwen2.5-coder-1.5b',
    repo: 'Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF',
    file: 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf',
    size: 1_117_320_768,
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    license: 'Apache-2.0',
    memory: 4 * GB,
    about: 'small and quick; short functions'
  },
  {
    name: 'qwen2.5-coder-7b',
    repo: 'Qwen/Qwen2.5-Coder-7B-Instruct-GGUF',
    file: 'qwen2.5-coder-7b-instruct-q4_k_m.gguf',
    size: 4_683_073_536,
    sha256: '509287f78cb4d4cf6b3843734733b914b2c158e43e22a7f4bf5e963800894d3c',
    license: 'Apache-2.0',
    memory: 12 * GB,
    about: 'good at functions and small projects'
  },
  {
    name: 'qwen2.5-coder-14b',
    repo: 'Qwen/Qwen2.5-Coder-14B-Instruct-GGUF',
    file: 'qwen2.5-coder-14b-instruct-q4_k_m.gguf',
    size: 8_988_110_272,
    sha256: 'c1e659736d89ac1065fb495330fb824d94001974a4bfa78e7270e43476a8d940',
    license: 'Apache-2.0',
    memory: 22 * GB,
    about: 'better, and slow without a graphics card'
  },
  {
    name: 'qwen3-coder-30b',
    repo: 'unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF',
    file: 'Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf',
    size: 18_556_689_568,
    sha256: 'fadc3e5f8d42bf7e894a785b05082e47daee4df26680389817e2093056f088ad',
    license: 'Apache-2.0',
    memory: 30 * GB,
    about: 'the best here; as quick as a 3b, as each token uses a tenth of it'
  }
]

// This model is slower than the larger one after it, so it is used only if it is named.
const NEVER_BY_ITSELF = 'qwen2.5-coder-14b'

/** The model that suits a machine with this much memory. */
export function suitable (memory: number): Listed {
  const [smallest, ...larger] = MODELS.filter(({ name }) => name !== NEVER_BY_ITSELF)
  if (!smallest) throw new Error('the table of models is empty')
  return larger.findLast(model => model.memory <= memory) ?? smallest
}
