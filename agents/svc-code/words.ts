// The words by which a request is sorted. Plain data: extend it freely. All are matched as whole words or phrases, without regard to case.

/** Words that mean one side wherever they stand. A `.` or `@` in a word is taken as it is. */
export const PYTHON = list(`django, fastapi, numpy, scipy, sqlalchemy, pytest, pydantic, tkinter, pygame, beautifulsoup, beautifulsoup4, bs4, scrapy, celery, aiogram, discord.py, pyrogram, telebot,
  python-telegram-bot, pytorch, torch, tensorflow, keras, scikit-learn, sklearn, matplotlib, seaborn, streamlit, gradio, typer, argparse, asyncio, aiohttp, httpx, jupyter, ipython, pip, pipenv, conda,
  virtualenv, venv, uvicorn, gunicorn, wsgi, asgi, jinja, jinja2, mypy, unittest, doctest, pyproject, pyproject.toml, requirements.txt, setup.py, conftest, polars, dask, airflow, opencv, cv2, spacy, nltk,
  kivy, pyqt, pyqt5, pyqt6, pyside, pyside6, psycopg, psycopg2, alembic, marshmallow, starlette, boto3, paramiko, dunder, __init__, dataframe, type hints, docstring, docstrings, list comprehension,
  dict comprehension, dataclass, dataclasses, namedtuple, defaultdict, itertools, functools, pathlib, lru_cache, pyspark, geopandas, xgboost, lightgbm, networkx, sympy, pillow, openpyxl, xlsxwriter, tqdm,
  django rest framework, drf, peewee, hypothesis library, pep 8, pep8, pypi, kwargs`)

export const TYPESCRIPT = list(`next.js, nextjs, nuxt, nuxt.js, sveltekit, solidjs, fastify, nestjs, koa, hono, node.js, nodejs, deno, npm, npx, pnpm, package.json, tsconfig, tsconfig.json, zod, prisma, typeorm,
  sequelize, knex, vitest, webpack, esbuild, rollup.js, tailwind, tailwindcss, redux, zustand, mobx, tanstack, rxjs, socket.io, bullmq, react native, react-native, vs code extension, vscode extension,
  chrome extension, browser extension, firefox extension, three.js, d3.js, jquery, tsx, jsx, discord.js, telegraf, grammy, eslint, lodash, service worker, localstorage, local storage, web component,
  web components, custom element, vuex, pinia, vue router, ngrx, angularjs, create-react-app, express.js, expressjs, react.js, reactjs, vue.js, vuejs, vue 3, vue 2, svelte, vue, mongoose schema, nodemailer,
  puppeteer, cheerio, ts-node, tsup, trpc, graphql-yoga, type guard, discriminated union, mapped type, conditional type, generics constraint, es module, esm, commonjs, dom, html form, web page, webpage,
  landing page, pricing page, css, html, shadcn, material ui, mui, chakra ui, storybook, playwright test, @playwright/test, @testing-library, testing library, ionic, capacitor, fetch api, event emitter, eventemitter`)

/** Words of everyday language, too: they count only beside something technical. */
export const PYTHON_DOUBTFUL = list('flask, pandas, click, requests, black, bottle, tornado, pyramid, fabric, invoke, transformers, rich, poetry, pickle, selenium, anaconda')
export const TYPESCRIPT_DOUBTFUL = list('react, express, node, next, angular, nest, bun, yarn, jest, mocha, chai, cypress, vite, drizzle, mongoose, electron, expo, remix, astro, commander, inquirer, solid, hapi, apollo, ember, backbone, gatsby, playwright, lit, preact')

/** What stands beside a framework, and seldom beside the same word in its everyday sense. */
export const NEIGHBOURS = list(`app, apps, application, component, components, composant, composants, komponente, componente, page, pages, hook, hooks, middleware, route, routes, router, server, endpoint, endpoints, form, formular, formulario,
  formulaire, service, services, module, modules, modul, módulo, blueprint, project, projekt, proyecto, projet, frontend, front-end, backend, back-end, view, views, api, apis, test, tests, suite, cli, plugin, handler, handlers, state, props,
  context, button, screen, library, lib, framework, client, orm, model, models, schema, dataframe, dataframes, script, session, decorator, command, group, worker, process, main process, window, store, controller, provider,
  directive, pipe, guard, template, templates, stream, buffer, package, runtime, version, js, ts, tests, mock, mocks, e2e, config, website, site, dashboard, ui, widget, table, list, modal, menu, navbar, layout, image, postgres`)
export const USING = list('with, using, use, uses, used, in, via, on, mit, con, avec, en, usando, utilizando, utilisant, verwende, benutze, nutze, unter, import, install, through, and, +, or')

/** Other languages, told plainly that they are not served here. */
export const OTHERS: Record<string, string[]> = {
  Rust: list('rust'), Go: list('golang, in go, go program, go function, go struct'), Java: list('java'), Kotlin: list('kotlin'), Swift: list('swift, swiftui'), 'C#': list('c#, csharp, .net, asp.net'), 'C++': list('c++, cpp'),
  C: list('in c, c program, ansi c'), Ruby: list('ruby, ruby on rails'), PHP: list('php, laravel'), Scala: list('scala'), Haskell: list('haskell'), Lua: list('lua'), Perl: list('perl'), Elixir: list('elixir'), Dart: list('dart, flutter'),
  R: list('in r, r script'), Shell: list('bash, bash script, shell script, powershell, zsh script'), SQL: list('sql query, sql statement'), Zig: list('zig'), Julia: list('julia'), Fortran: list('fortran'), COBOL: list('cobol'), Clojure: list('clojure'), 'F#': list('f#'), OCaml: list('ocaml'), Solidity: list('solidity')
}
/** Names that are other things as well: they count only as "in Rust", "to Swift". */
export const DOUBTFUL_OTHERS = new Set(['Rust', 'Swift', 'Ruby', 'Perl', 'Dart', 'Julia', 'Java', 'Scala', 'Lua', 'Elixir', 'Zig'])

/** After these, and up to the end of the clause, a name is not what is wanted. */
export const NOT = list(`no, not, don't, dont, do not, never, without, instead of, rather than, other than, not using, moving away from, move away from, away from, migrate from, migrating from, port from, coming from, replace, replacing, replaces, unlike, avoid,
  drop, remove, like in, as in, similar to, know, knows, known from, used to, previously, formerly, is in, stays, remains, is written in, written in, runs on, talks to, calls our, our backend is, our frontend is, our api is, the backend is, the frontend is, existing,
  ohne, kein, keine, keinen, nicht, statt, anstatt, anstelle von, weg von, von, sans, pas de, au lieu de, plutôt que, sin, no uses, en lugar de, en vez de`)

/** Project kinds by the framework that is named; the first that is found counts. */
export const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ['fastapi', ['fastapi']], ['django', ['django']], ['flask', ['flask']], ['typer', ['typer', 'click']],
  ['nestjs', ['nestjs', 'nest']], ['fastify', ['fastify']], ['express', ['express', 'express.js', 'expressjs']], ['nextjs', ['next.js', 'nextjs']], ['vue', ['vue', 'vue.js', 'vuejs', 'vue 3', 'nuxt']], ['react', ['react', 'react.js', 'reactjs', 'vite']]
]

/** What runs by itself: with a framework's name it is a project. */
export const WHOLE = list(`app, apps, application, applications, service, microservice, api, apis, server, backend, frontend, site, website, webapp, webapplication, webservice, blog, shop, dashboard, platform, portal, clone, cms, spa, cli,
  anwendung, webanwendung, dienst, webseite, webdienst, aplicación, servicio, servidor, sitio, tienda, serveur, boutique`)
/** ... but for a framework that calls a part of a program so. */
export const PARTS_OF: Record<string, readonly string[]> = { nestjs: ['service', 'servicio'] }

function list (text: string): string[] {
  return text.split(',').map(word => word.trim().replace(/\s+/g, ' ')).filter(word => word !== '')
}
