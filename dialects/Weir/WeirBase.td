//===- WeirBase.td - The weir dialect and its base classes -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_BASE_TD
#define WEIR_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Interfaces/Interfaces.td"

def Weir_Dialect : Dialect {
  let name = "weir";
  let cppNamespace = "::weir";
  let summary = "Dataflow graphs as their authors wrote them";
  let description = [{
    `weir` holds a machine-learning program as a dataflow graph: nodes without
    an order but that of their data and control edges, variables and queues
    that several graphs (entry points) share, and gradients as a request. It
    does not model buffers, threads, device memory or the order of a schedule;
    see the `rt` dialect for those.

    Every op of a graph's body is a *node*. It takes data operands, and any
    number of control operands behind `after`, of type `!weir.control`; an op
    with effects yields a control result. Order comes from these edges only:
    see docs/rationale/order-and-effects.md.

    The operands of a node include its control operands, so no node has the
    `Commutative` trait: upstream folding would sort constants behind them.

    Any node may carry `weir.device` (where it runs), `weir.colocate` (the
    group it shares a device with) and `weir.name` (the user's name for it).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Attributes that every node may carry; all are strings.
    static constexpr ::llvm::StringLiteral getDeviceAttrName() { return "weir.device"; }
    static constexpr ::llvm::StringLiteral getColocateAttrName() { return "weir.colocate"; }
    static constexpr ::llvm::StringLiteral getNameAttrName() { return "weir.name"; }
    /// The user's name of an op for messages: `weir.name`, else its op name.
    static std::string describe(::mlir::Operation *op);
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Weir_Type<string name, string typeMnemonic> : TypeDef<Weir_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Weir_Control : Weir_Type<"Control", "control">, BuildableType<"$_builder.getType<::weir::ControlType>()"> {
  let summary = "control edge";
  let description = [{The fact that a node has run. It has no data.}];
}

def Weir_String : Weir_Type<"String", "string"> {
  let summary = "bytes of any length and value, as a tensor element";
}

def Weir_Resource : Weir_Type<"Resource", "resource">, BuildableType<"$_builder.getType<::weir::ResourceType>()"> {
  let summary = "a handle of state: a variable, a queue, a stack";
  let description = [{
    What it names is known at run time only, where it came through control flow.
    A node that is given a handle of another kind than it wants fails. Lists of
    tensors and optionals travel so too, although they are values.
  }];
}

def Weir_Float : AnyTypeOf<[F16, BF16, F32, F64], "float element">;
def Weir_SignedInteger : AnyTypeOf<[I8, I16, I32, I64], "integer element">;
def Weir_UnsignedInteger : AnyTypeOf<[UI8, UI16, UI32, UI64], "unsigned integer element">;
def Weir_Integer : AnyTypeOf<[Weir_SignedInteger, Weir_UnsignedInteger], "integer element">;
def Weir_Number : AnyTypeOf<[Weir_Float, Weir_Integer], "numeric element">;
def Weir_Pod : AnyTypeOf<[Weir_Number, I1], "numeric or boolean element">;
def Weir_Element : AnyTypeOf<[Weir_Pod, Weir_String], "element">;

def Weir_Tensor : RankedTensorOf<[Weir_Element]>;
// Of known or unknown rank: what nodes that carry values take.
class Weir_AnyTensorOf<list<Type> elements> : TensorOf<elements>;
def Weir_AnyTensor : Weir_AnyTensorOf<[Weir_Element]>;
def Weir_Value : AnyTypeOf<[Weir_AnyTensor, Weir_Resource], "tensor or handle">;
def Weir_PodTensor : RankedTensorOf<[Weir_Pod]>;
def Weir_NumberTensor : RankedTensorOf<[Weir_Number]>;
def Weir_FloatTensor : RankedTensorOf<[Weir_Float]>;
def Weir_SignedTensor : RankedTensorOf<[Weir_Float, Weir_SignedInteger]>;
def Weir_BoolTensor : RankedTensorOf<[I1]>;
def Weir_IndexTensor : RankedTensorOf<[I32, I64]>;
def Weir_StringScalar : TypeConstraint<
  And<[RankedTensorOf<[Weir_String]>.predicate, HasAnyRankOfPred<[0]>]>, "string scalar tensor", "::mlir::RankedTensorType">;

// An enumeration as an attribute: `#weir.padding<SAME>`.
class Weir_Enum<string name, string what, list<I32EnumAttrCase> enumCases> : I32EnumAttr<name, what, enumCases> {
  let cppNamespace = "::weir";
  let genSpecializedAttr = 0;
}
class Weir_EnumAttr<Weir_Enum info, string attrMnemonic> : EnumAttr<Weir_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

def Weir_StateResource : Resource<"::weir::StateResource">;

// A node. `inputs` are its data operands and attributes; control operands come
// last. The text is `op operands after(controls) {attributes} : (types) -> types`
// unless the op has its own.
//
// `deviceTypes` is the node's row in the table of kernels: the types of devices
// that can run it.
class Weir_Node<string mnemonic, dag inputs, list<Trait> traits = []>
    : Op<Weir_Dialect, mnemonic, traits # [DeclareOpInterfaceMethods<Weir_NodeInterface>]> {
  let arguments = !con(inputs, (ins Variadic<Weir_Control>:$controls));
  list<string> deviceTypes = ["CPU"];
  // One definition for every node: see Node.h.
  code nodeDefinition = [{
    ::llvm::ArrayRef<::llvm::StringLiteral> $cppClass::getDeviceTypes() {
      static constexpr ::llvm::StringLiteral types[] = {"}] # !interleave(deviceTypes, [{", "}]) # [{"};
      return types;
    }
    ::mlir::OperandRange $cppClass::getControlInputs() { return getControls(); }
    ::mlir::OperandRange $cppClass::getDataInputs() {
      return getOperation()->getOperands().drop_back(getControls().size());
    }
    ::mlir::MutableOperandRange $cppClass::getControlInputsMutable() { return getControlsMutable(); }
  }];
  code formatDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::weir::parseNode<$cppClass>(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { ::weir::printNode(*this, printer); }
  }];
  let extraClassDefinition = nodeDefinition;
}

// The gradient of a node as a table row: one expression for each data operand.
// `b` builds nodes, `dy` is the gradient of the first result, `dys` of all.
class Weir_Gradient<code gradientRow> { code row = gradientRow; }
def Weir_NoGradient : Weir_Gradient<"">;

// A node without effects: it may run any number of times, or not at all.
class Weir_PureNode<string mnemonic, dag inputs, Weir_Gradient gradient = Weir_NoGradient, list<Trait> traits = []>
    : Weir_Node<mnemonic, inputs, [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface, ["refineReturnTypes"]>] #
                !if(!empty(gradient.row), [], [DeclareOpInterfaceMethods<Weir_GradientInterface>]) # traits> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let deviceTypes = ["CPU", "GPU"];
  code gradientDefinition = !if(!empty(gradient.row), "", [{
    ::llvm::SmallVector<::mlir::Value> $cppClass::buildGradient(::weir::GradientBuilder &b, ::mlir::ValueRange dys) {
      ::mlir::Value dy = dys.front();
      (void)dy;
      return {}] # gradient.row # [{};
    }
  }]);
  // Where the types of results come from: `infer` in the family's .cpp.
  code inferDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties,
        ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      $cppClass::Adaptor adaptor(operands, attributes, properties, regions);
      return infer(adaptor, ::weir::InferContext{context, location, getOperationName()}, types);
    }
    // The interface's own check would add a second error to each; the verifier
    // below reports once.
    ::llvm::LogicalResult $cppClass::refineReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>, ::mlir::ValueRange,
        ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::verify() { return ::weir::verifyDeclared(*this); }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange declared) {
      return ::weir::areCompatible(inferred, declared);
    }
  }];
  let extraClassDeclaration = [{
    /// The types of the results, or an error at the context's location.
    static ::llvm::LogicalResult infer(Adaptor adaptor, ::weir::InferContext context, ::llvm::SmallVectorImpl<::mlir::Type> &types);
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange declared);
  }];
  let extraClassDefinition = nodeDefinition # formatDefinition # gradientDefinition # inferDefinition;
}

// A node that reads or changes state, or speaks to the outside. Effects are
// declared as a write of one resource, so that no upstream pass merges, moves
// or drops such a node by its place in the text, which means nothing here.
class Weir_StatefulNode<string mnemonic, dag inputs, list<Trait> traits = []>
    : Weir_Node<mnemonic, inputs, [MemoryEffects<[MemRead<Weir_StateResource>, MemWrite<Weir_StateResource>]>] # traits>;

// A node that the runtime carries out by a call of its own: `weir_node_` and the
// mnemonic, in weir-c/dataflow.h. `numbers` and `texts` are what the call takes
// beside its operands, as lists of expressions; with `own` they are in the
// family's .cpp. A graph with such a node is no straight line.
class Weir_RuntimeNode<string mnemonic, dag inputs, code numbers = "", code texts = "", list<Trait> traits = [], bit own = 0>
    : Weir_StatefulNode<mnemonic, inputs, [DeclareOpInterfaceMethods<Weir_RuntimeCallInterface>] # traits> {
  let hasCustomAssemblyFormat = 1;
  code callDefinition = !if(own, "", [{
    ::llvm::SmallVector<int64_t> $cppClass::getCallNumbers() { return {}] # numbers # [{}; }
    ::llvm::SmallVector<::std::string> $cppClass::getCallTexts() { return {}] # texts # [{}; }
  }]);
  let extraClassDefinition = nodeDefinition # formatDefinition # callDefinition;
}

#endif // WEIR_BASE_TD
