// Programs whose signs came as entities of HTML.

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&apos;': "'", '&amp;': '&' }

/** A program in which every sign is escaped was escaped by accident; one that has both escapes HTML itself. */
export function fromEntities (source: string): string {
  if (!/&(?:lt|gt);/.test(source) || /[<>]/.test(source)) return source
  return source.replace(/&(?:lt|gt|quot|#39|apos|amp);/g, entity => ENTITIES[entity] ?? entity)
}
