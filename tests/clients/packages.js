// packages.js - the npm packages under test, at the versions that run.sh fetched below the build folder.
'use strict';
const path = require('node:path');
const { createRequire } = require('node:module');

const folder = path.resolve(process.env.CLIENTS || path.join(__dirname, '../../build/clients'));
module.exports = { folder, load: createRequire(path.join(folder, 'package.json')) };
