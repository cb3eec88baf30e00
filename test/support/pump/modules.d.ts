// Made when the process that calls the functions is built: the modules that hold them, by their files.
declare module 'pump:modules' {
  export const MODULES: Readonly<Record<string, unknown>>
}
